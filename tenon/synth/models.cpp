#include "tenon/synth/models.h"

#include <algorithm>

namespace tenon::synth {

namespace {

constexpr VocabularyPlan kLlama3 = {"gpt2", "llama-bpe", 128256, true};
constexpr VocabularyPlan kQwen2 = {"gpt2", "qwen2", 151936};
constexpr int64_t kTinyTokens = 512;

// Sources: config.json of each model, and what convert_hf_to_gguf makes of it. No vocabulary is the real one.
constexpr Model kModels[] = {
    {"gemma-4-e2b",
     "gemma4",
     35,
     5,
     {"gemma4", "", 262144, true},
     [](Blueprint& blueprint, int64_t layers) {
       describe_windows(blueprint, layers,
                        {{1536, 6144, 8, 1, 512, 262144, 131072, 1e6, 1e-6}, 512, 256, 15, 256});
     }},
    {"gemma-4-tiny",
     "gemma4",
     7,
     5,
     {"gemma4", "", kTinyTokens, true},
     [](Blueprint& blueprint, int64_t layers) {
       describe_windows(blueprint, layers,
                        {{256, 512, 4, 1, 128, kTinyTokens, 4096, 1e6, 1e-6}, 64, 64, 5, 32});
     }},
    {"llama-3.1-8b", "llama", 32, 1, kLlama3,
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers,
                      {{4096, 14336, 32, 8, 128, 128256, 131072, 500000, 1e-5, false}, false, 8});
     }},
    {"llama-3.2-1b", "llama", 16, 1, kLlama3,
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers, {{2048, 8192, 32, 8, 64, 128256, 131072, 500000, 1e-5}, false, 32});
     }},
    {"llama-tiny",
     "llama",
     2,
     1,
     {"gpt2", "llama-bpe", kTinyTokens, true},
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers,
                      {{256, 512, 4, 2, 64, kTinyTokens, 4096, 500000, 1e-5, false}, false, 8});
     }},
    {"phi-3.5-mini",
     "phi3",
     32,
     1,
     {"llama", "", 32064},
     [](Blueprint& blueprint, int64_t layers) {
       describe_fused(blueprint, layers,
                      {{3072, 8192, 32, 32, 96, 32064, 131072, 10000, 1e-5, false}, 96, 4096});
     }},
    {"phi-4-mini",
     "phi3",
     32,
     1,
     {"gpt2", "gpt-4o", 200064},
     [](Blueprint& blueprint, int64_t layers) {
       describe_fused(blueprint, layers, {{3072, 8192, 24, 8, 128, 200064, 131072, 10000, 1e-5}, 96, 4096});
     }},
    {"phi-tiny",
     "phi3",
     2,
     1,
     {"llama", "", kTinyTokens},
     [](Blueprint& blueprint, int64_t layers) {
       describe_fused(blueprint, layers,
                      {{256, 512, 4, 2, 64, kTinyTokens, 4096, 10000, 1e-5, false}, 48, 128});
     }},
    {"qwen3-4b", "qwen3", 36, 1, kQwen2,
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers, {{2560, 9728, 32, 8, 128, 151936, 40960, 1e6, 1e-6}, true});
     }},
    {"qwen3-tiny",
     "qwen3",
     2,
     1,
     {"gpt2", "qwen2", kTinyTokens},
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers, {{256, 512, 4, 2, 128, kTinyTokens, 4096, 1e6, 1e-6}, true});
     }},
    {"qwen3.5-4b",
     "qwen35",
     32,
     4,
     {"gpt2", "qwen35", 248320},
     [](Blueprint& blueprint, int64_t layers) {
       describe_delta_net(blueprint, layers,
                          {{2560, 9216, 16, 4, 256, 248320, 262144, 1e7, 1e-6}, 64, 16, 32, 128});
     }},
    {"qwen3.5-tiny",
     "qwen35",
     4,
     4,
     {"gpt2", "qwen35", kTinyTokens},
     [](Blueprint& blueprint, int64_t layers) {
       describe_delta_net(blueprint, layers,
                          {{256, 512, 4, 2, 64, kTinyTokens, 4096, 1e7, 1e-6}, 16, 2, 4, 64});
     }},
    {"smollm2-1.7b",
     "llama",
     24,
     1,
     {"gpt2", "smollm", 49152},
     [](Blueprint& blueprint, int64_t layers) {
       describe_dense(blueprint, layers, {{2048, 8192, 32, 32, 64, 49152, 8192, 130000, 1e-5}});
     }},
};
static_assert(std::ranges::is_sorted(kModels, {}, &Model::name));

}  // namespace

std::span<const Model> models() { return kModels; }

std::string layer_tensor(int64_t layer, std::string_view name) {
  return "blk." + std::to_string(layer) + "." + std::string(name);
}

void add_common_keys(Blueprint& blueprint, int64_t layers, const Shape& shape) {
  blueprint.count("block_count", layers);
  blueprint.count("context_length", shape.context);
  blueprint.count("embedding_length", shape.width);
  blueprint.count("attention.head_count", shape.heads);
  blueprint.count("attention.head_count_kv", shape.kv_heads);
  blueprint.number("rope.freq_base", shape.rope_base);
  blueprint.number("attention.layer_norm_rms_epsilon", shape.epsilon);
  blueprint.count("vocab_size", shape.vocabulary);
}

void add_outer_tensors(Blueprint& blueprint, const Shape& shape) {
  blueprint.weights("token_embd.weight", shape.vocabulary, shape.width);
  blueprint.norm("output_norm.weight", shape.width);
  if (!shape.tied) blueprint.weights("output.weight", shape.vocabulary, shape.width);
}

void add_gated_feed_forward(Blueprint& blueprint, int64_t layer, int64_t width, int64_t feed_forward) {
  blueprint.weights(layer_tensor(layer, "ffn_gate.weight"), feed_forward, width);
  blueprint.weights(layer_tensor(layer, "ffn_up.weight"), feed_forward, width);
  blueprint.weights(layer_tensor(layer, "ffn_down.weight"), width, feed_forward);
}

}  // namespace tenon::synth
