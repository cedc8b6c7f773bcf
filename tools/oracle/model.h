// A whole model run by llama.cpp on its CPU backend, teacher-forced.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exact_gelu.h"
#include "llama.h"

namespace tenon::oracle {

struct ModelOptions {
  ggml_type kv_type = GGML_TYPE_F32;
  bool flash_attention = false;
  int threads = 2;
  bool exact_gelu = false;  // GELU and GEGLU by ggml's f32 function, not by its table
  uint32_t context = 512;   // tokens; also the most that one step may hold
  // Layers with a window have caches of their own, of the window and 64 tokens (in whole 256), and evict.
  bool evict = false;
};

// Every load of a model in this program. Throws std::runtime_error naming the path.
class Model {
 public:
  Model(const std::string& path, const ModelOptions& options);

  int64_t vocab() const;
  // Tokens as llama.cpp's own tokenizer gives them, without special tokens added or parsed.
  std::vector<int32_t> tokenize(const std::string& text) const;

  // Appends one step to the sequence; logits [vocab] of every token of it, one after the other.
  std::vector<float> step(std::span<const int32_t> tokens);
  void clear();  // forgets the sequence

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<ExactGelu> exact_gelu_;  // used by the context
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
  llama_pos position_ = 0;
};

}  // namespace tenon::oracle
