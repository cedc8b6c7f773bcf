#include "tenon/arch/blocks/hyperparameters.h"

#include "tenon/arch/blocks/architecture_keys.h"
#include "tenon/arch/blocks/rope_scaling.h"

namespace tenon::arch {

namespace {

// What the blocks cannot build is refused before anything else is read.
Status check_supported(const ArchitectureKeys& keys, FeedForwardKind kind) {
  TENON_ASSIGN(const int64_t experts, keys.count_or_zero("expert_count"));
  if (experts > 0 && kind == FeedForwardKind::kDense) {
    return keys.unsupported("expert_count", "a model without experts", std::to_string(experts));
  }
  TENON_ASSIGN(const int64_t groups, keys.count_or_zero("expert_group_count"));
  if (groups > 1) {
    return keys.unsupported("expert_group_count", "experts that are chosen from one group",
                            std::to_string(groups));
  }
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

Result<ExpertCounts> read_expert_counts(const ArchitectureKeys& keys, int64_t layers) {
  ExpertCounts out;
  TENON_ASSIGN(out.count, keys.count("expert_count"));
  TENON_ASSIGN(out.used, keys.layer_count("expert_used_count", layers));
  if (out.used > out.count) {
    return keys.invalid("expert_used_count", "at most the " + std::to_string(out.count) + " experts",
                        std::to_string(out.used));
  }
  if (keys.contains("expert_feed_forward_length") || !keys.contains("feed_forward_length")) {
    TENON_ASSIGN(out.feed_forward, keys.layer_count("expert_feed_forward_length", layers));
    return out;
  }
  TENON_ASSIGN(const int64_t all, keys.layer_count("feed_forward_length", layers));
  out.feed_forward = all / out.used;
  return out;
}

Result<Hyperparameters> read_common_hyperparameters(const gguf::File& file) {
  TENON_ASSIGN(const std::string_view architecture, file.metadata().architecture());
  const ArchitectureKeys keys(file.metadata(), architecture);
  Hyperparameters out;
  out.architecture = architecture;
  TENON_ASSIGN(const bool causal, keys.boolean("attention.causal", true));
  if (!causal) return keys.unsupported("attention.causal", "causal attention", "false");
  TENON_ASSIGN(out.layers, keys.count("block_count"));
  TENON_ASSIGN(out.embedding, keys.count("embedding_length"));
  TENON_ASSIGN(out.context, keys.count("context_length"));
  TENON_RETURN_IF_ERROR(read_vocabulary(file.metadata(), keys, out));
  TENON_ASSIGN(out.rms_epsilon, keys.number("attention.layer_norm_rms_epsilon", 0));
  return out;
}

Result<Hyperparameters> read_hyperparameters(const gguf::File& file, FeedForwardKind kind) {
  TENON_ASSIGN(const std::string_view architecture, file.metadata().architecture());
  const ArchitectureKeys keys(file.metadata(), architecture);
  TENON_RETURN_IF_ERROR(check_supported(keys, kind));
  TENON_ASSIGN(Hyperparameters out, read_common_hyperparameters(file));
  TENON_RETURN_IF_ERROR(read_heads(keys, out));
  if (kind == FeedForwardKind::kExperts) {
    TENON_ASSIGN(out.experts, read_expert_counts(keys, out.layers));
  } else {
    TENON_ASSIGN(out.feed_forward, keys.layer_count("feed_forward_length", out.layers));
  }
  TENON_ASSIGN(out.rope, read_rope(keys, out.head_size, out.context));
  out.attention.assign(static_cast<size_t>(out.layers), {0, out.kv_heads, out.head_size, out.rope, {}});
  return out;
}

}  // namespace tenon::arch
