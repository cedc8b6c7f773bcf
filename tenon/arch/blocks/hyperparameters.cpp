#include "tenon/arch/blocks/hyperparameters.h"

#include "tenon/arch/blocks/architecture_keys.h"
#include "tenon/arch/blocks/rope_scaling.h"

namespace tenon::arch {

namespace {

// What the blocks cannot build is refused before anything else is read.
Status check_supported(const ArchitectureKeys& keys) {
  TENON_ASSIGN(const int64_t experts, keys.count_or_zero("expert_count"));
  if (experts > 0) {
    return keys.unsupported("expert_count", "a model without experts", std::to_string(experts));
  }
  TENON_ASSIGN(const bool causal, keys.boolean("attention.causal", true));
  if (!causal) return keys.unsupported("attention.causal", "causal attention", "false");
  return {};
}

Status read_heads(const ArchitectureKeys& keys, Hyperparameters& out) {
  TENON_ASSIGN(out.heads, keys.layer_count("attention.head_count", out.layers));
  TENON_ASSIGN(out.kv_heads, keys.layer_count("attention.head_count_kv", out.layers, out.heads));
  if (out.heads % out.kv_heads != 0) {
    return keys.invalid("attention.head_count_kv", "a divisor of the " + std::to_string(out.heads) + " heads",
                        std::to_string(out.kv_heads));
  }
  if (!keys.contains("attention.key_length") && out.embedding % out.heads != 0) {
    return keys.invalid("embedding_length", "a multiple of the " + std::to_string(out.heads) + " heads",
                        std::to_string(out.embedding));
  }
  TENON_ASSIGN(out.head_size, keys.count("attention.key_length", out.embedding / out.heads));
  TENON_ASSIGN(const int64_t value_size, keys.count("attention.value_length", out.embedding / out.heads));
  if (value_size != out.head_size) {
    return keys.unsupported("attention.value_length", "the key length, " + std::to_string(out.head_size),
                            std::to_string(value_size));
  }
  return {};
}

// The token list counts; a file without one may state the size alone.
Status read_vocabulary(const gguf::Metadata& metadata, const ArchitectureKeys& keys, Hyperparameters& out) {
  if (const gguf::MetadataEntry* tokens = metadata.find("tokenizer.ggml.tokens")) {
    out.vocabulary = static_cast<int64_t>(tokens->count);
    return {};
  }
  TENON_ASSIGN(out.vocabulary, keys.count_or_zero("vocab_size"));
  return {};
}

}  // namespace

Result<Hyperparameters> read_hyperparameters(const gguf::File& file) {
  TENON_ASSIGN(const std::string_view architecture, file.metadata().architecture());
  const ArchitectureKeys keys(file.metadata(), architecture);
  Hyperparameters out;
  out.architecture = architecture;
  TENON_RETURN_IF_ERROR(check_supported(keys));
  TENON_ASSIGN(out.layers, keys.count("block_count"));
  TENON_ASSIGN(out.embedding, keys.count("embedding_length"));
  TENON_RETURN_IF_ERROR(read_heads(keys, out));
  TENON_ASSIGN(out.feed_forward, keys.layer_count("feed_forward_length", out.layers));
  TENON_ASSIGN(out.context, keys.count("context_length"));
  TENON_RETURN_IF_ERROR(read_vocabulary(file.metadata(), keys, out));
  TENON_ASSIGN(out.rms_epsilon, keys.number("attention.layer_norm_rms_epsilon", 0));
  TENON_ASSIGN(out.rope, read_rope(keys, out.head_size, out.context));
  return out;
}

}  // namespace tenon::arch
