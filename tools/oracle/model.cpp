#include "model.h"

#include <cstdio>
#include <stdexcept>

namespace tenon::oracle {
namespace {

void log_errors(ggml_log_level level, const char* text, void*) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

}  // namespace

Model::Model(const std::string& path, const ModelOptions& options) {
  llama_log_set(log_errors, nullptr);
  model_.reset(llama_model_load_from_file(path.c_str(), llama_model_default_params()));
  if (!model_) throw std::runtime_error("llama.cpp cannot load " + path);

  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = options.context;
  if (options.evict) {
    params.swa_full = false;
    params.n_ubatch = 64;
  }
  params.n_threads = params.n_threads_batch = options.threads;
  params.type_k = params.type_v = options.kv_type;
  params.flash_attn_type =
      options.flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  if (options.exact_gelu) {
    exact_gelu_ = std::make_unique<ExactGelu>();
    params.cb_eval = &ExactGelu::on_node;
    params.cb_eval_user_data = exact_gelu_.get();
  }
  context_.reset(llama_init_from_model(model_.get(), params));
  if (!context_) throw std::runtime_error("llama.cpp cannot make a context for " + path);
}

int64_t Model::vocab() const { return llama_vocab_n_tokens(llama_model_get_vocab(model_.get())); }

std::vector<int32_t> Model::tokenize(const std::string& text) const {
  std::vector<int32_t> tokens(text.size() + 1);
  const int32_t n =
      llama_tokenize(llama_model_get_vocab(model_.get()), text.data(), static_cast<int32_t>(text.size()),
                     tokens.data(), static_cast<int32_t>(tokens.size()), false, false);
  if (n < 0) throw std::runtime_error("llama.cpp cannot tokenize the text");
  tokens.resize(static_cast<size_t>(n));
  return tokens;
}

std::vector<float> Model::step(std::span<const int32_t> tokens) {
  llama_batch batch = llama_batch_init(static_cast<int32_t>(tokens.size()), 0, 1);
  batch.n_tokens = static_cast<int32_t>(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    batch.token[i] = tokens[i];
    batch.pos[i] = position_++;
    batch.n_seq_id[i] = 1;
    batch.seq_id[i][0] = 0;
    batch.logits[i] = 1;
  }
  const int32_t status = llama_decode(context_.get(), batch);
  llama_batch_free(batch);
  if (status != 0) throw std::runtime_error("llama_decode gave " + std::to_string(status));
  const float* logits = llama_get_logits(context_.get());
  return {logits, logits + static_cast<int64_t>(tokens.size()) * vocab()};
}

void Model::clear() {
  llama_memory_clear(llama_get_memory(context_.get()), true);
  position_ = 0;
}

}  // namespace tenon::oracle
