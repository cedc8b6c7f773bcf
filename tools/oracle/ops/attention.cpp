// SOFT_MAX and FLASH_ATTN_EXT. Query token t stands at position past + t; key j at position j.
#include <cmath>

#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

constexpr int kTokens = 5;
constexpr int kKeys = 12;
constexpr int kPast = kKeys - kTokens;

// [keys, tokens], 0 where key j may be seen and -inf elsewhere; window 0 means causal without a window.
// A window of w sees the w latest positions, the query's own among them.
std::vector<float> mask_values(int window) {
  std::vector<float> mask;
  for (int t = 0; t < kTokens; ++t) {
    for (int j = 0; j < kKeys; ++j) {
      const int distance = kPast + t - j;
      const bool seen = distance >= 0 && (window == 0 || distance < window);
      mask.push_back(seen ? 0.0f : -INFINITY);
    }
  }
  return mask;
}

void describe_mask(Case& c, int window) {
  c.attribute("mask", std::string(window == 0 ? "causal" : "causal_window"));
  c.attribute("past", kPast);
  if (window != 0) c.attribute("window", window);
}

void attention_case(Capture& capture, const std::string& name, int head_size, int kv_heads, int window,
                    float scale, ggml_type kv_type, bool with_sinks = false) {
  constexpr int kHeads = 8;
  Case c(capture, name);
  c.attribute("scale", scale);
  describe_mask(c, window);
  const Extents kv_extents = {head_size, kKeys, kv_heads};
  const auto kv_count = static_cast<size_t>(count(kv_extents));
  const Array keys = make_array(kv_type, kv_extents, random_values(92, kv_count));
  const Array values = make_array(kv_type, kv_extents, random_values(93, kv_count));
  ggml_tensor* q = c.input(random_f32(91, {head_size, kTokens, kHeads}));
  ggml_tensor* k = c.input(keys);
  ggml_tensor* v = c.input(values);
  ggml_tensor* mask = c.input(make_array(GGML_TYPE_F16, {kKeys, kTokens}, mask_values(window)));
  // About as large as the largest scores, so that they take their share of the weights.
  ggml_tensor* sinks = with_sinks ? c.input(random_f32(94, {kHeads}, 3.0f)) : nullptr;
  ggml_tensor* attention = ggml_flash_attn_ext(c.context(), q, k, v, mask, scale, 0.0f, 0.0f);
  ggml_flash_attn_ext_add_sinks(attention, sinks);
  c.output(attention);

  // The plain route on F32 operands; its result comes out as [size, tokens, heads], flash attention's as
  // [size, heads, tokens].
  ggml_context* ctx = c.context();
  ggml_tensor* wide_mask = c.operand(make_array(GGML_TYPE_F32, {kKeys, kTokens}, mask_values(window)));
  ggml_tensor* wide_k = c.operand(dequantised(keys));
  ggml_tensor* wide_v = c.operand(dequantised(values));
  ggml_tensor* weights = ggml_soft_max_ext(ctx, ggml_mul_mat(ctx, wide_k, q), wide_mask, scale, 0.0f);
  ggml_soft_max_add_sinks(weights, sinks);
  ggml_tensor* mixed = ggml_mul_mat(ctx, ggml_cont(ctx, ggml_transpose(ctx, wide_v)), weights);
  c.exact(ggml_cont(ctx, ggml_permute(ctx, mixed, 0, 2, 1, 3)));
  c.run();
}

}  // namespace

void capture_flash_attn_ext(Capture& capture) {
  attention_case(capture, "gqa_8x2_causal", 16, 2, 0, 0.25f, GGML_TYPE_F32);
  attention_case(capture, "mqa_8x1_causal", 16, 1, 0, 0.25f, GGML_TYPE_F32);
  attention_case(capture, "gqa_8x2_window", 16, 2, 4, 0.25f, GGML_TYPE_F32);
  attention_case(capture, "mqa_8x1_window", 16, 1, 4, 0.25f, GGML_TYPE_F32);
  attention_case(capture, "gqa_8x2_head_64", 64, 2, 0, 0.125f, GGML_TYPE_F32);
  // A scale that is not 1/sqrt(head size), and sharp weights with it.
  attention_case(capture, "gqa_8x2_scale_1", 16, 2, 0, 1.0f, GGML_TYPE_F32);
  attention_case(capture, "gqa_8x2_f16_cache", 16, 2, 0, 0.25f, GGML_TYPE_F16);
  attention_case(capture, "gqa_8x2_sinks", 16, 2, 0, 0.25f, GGML_TYPE_F32, true);
  attention_case(capture, "mqa_8x1_window_sinks", 16, 1, 4, 0.25f, GGML_TYPE_F32, true);
  attention_case(capture, "gqa_8x2_f16_cache_sinks", 16, 2, 0, 0.25f, GGML_TYPE_F16, true);
}

void capture_soft_max(Capture& capture) {
  const Extents scores = {kKeys, kTokens, 3};
  {
    Case c(capture, "plain");
    c.attribute("scale", 1.0f);
    c.output(ggml_soft_max(c.context(), c.input(random_f32(101, scores, 6.0f))));
    c.run();
  }
  for (ggml_type mask_type : {GGML_TYPE_F32, GGML_TYPE_F16}) {
    for (int window : {0, 4}) {
      Case c(capture, std::string(window == 0 ? "causal_" : "causal_window_") + type_name(mask_type));
      c.attribute("scale", 0.25f);
      describe_mask(c, window);
      ggml_tensor* x = c.input(random_f32(102, scores, 6.0f));
      ggml_tensor* mask = c.input(make_array(mask_type, {kKeys, kTokens}, mask_values(window)));
      c.output(ggml_soft_max_ext(c.context(), x, mask, 0.25f, 0.0f));
      c.run();
    }
  }
}

}  // namespace tenon::oracle
