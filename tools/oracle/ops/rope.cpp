// ROPE: x [head size, heads, tokens], positions i32 [tokens] (of imrope [4 tokens]: the four components one
// after the other), optional frequency factors [n_dims / 2].
#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

struct RopeCase {
  const char* name;
  bool neox = false;
  int head_size = 16;
  int n_dims = 16;
  float freq_base = 10000.0f;
  float freq_scale = 1.0f;
  float ext_factor = 0.0f;
  float attn_factor = 1.0f;
  float beta_fast = 32.0f;
  float beta_slow = 1.0f;
  int n_ctx_orig = 0;
  bool factors = false;
};

// Positions that start at 0, follow each other, jump, go back, and reach the angle tolerance's end.
const std::vector<int32_t> kPositions = {0, 1, 2, 17, 511, 100, 2048, 4095, 8191, 8192};

void add_attributes(Case& c, const RopeCase& row, std::string mode) {
  c.attribute("mode", std::move(mode));
  c.attribute("n_dims", row.n_dims);
  c.attribute("n_ctx_orig", row.n_ctx_orig);
  c.attribute("freq_base", row.freq_base);
  c.attribute("freq_scale", row.freq_scale);
  c.attribute("ext_factor", row.ext_factor);
  c.attribute("attn_factor", row.attn_factor);
  c.attribute("beta_fast", row.beta_fast);
  c.attribute("beta_slow", row.beta_slow);
}

void rope_case(Capture& capture, const RopeCase& row) {
  Case c(capture, row.name);
  add_attributes(c, row, row.neox ? "neox" : "normal");
  const auto tokens = static_cast<int64_t>(kPositions.size());
  ggml_tensor* x = c.input(random_f32(81, {row.head_size, 3, tokens}));
  ggml_tensor* positions = c.input(make_i32({tokens}, kPositions));
  ggml_tensor* factors = nullptr;
  if (row.factors) {
    std::vector<float> values(static_cast<size_t>(row.n_dims / 2));
    for (size_t i = 0; i < values.size(); ++i) values[i] = i < 2 ? 1.0f : static_cast<float>(1u << (i / 2));
    factors = c.input(make_array(GGML_TYPE_F32, {row.n_dims / 2}, values));
  }
  c.output(ggml_rope_ext(c.context(), x, positions, factors, row.n_dims,
                         row.neox ? GGML_ROPE_TYPE_NEOX : GGML_ROPE_TYPE_NORMAL, row.n_ctx_orig,
                         row.freq_base, row.freq_scale, row.ext_factor, row.attn_factor, row.beta_fast,
                         row.beta_slow));
  c.run();
}

// Interleaved M-RoPE: pair i turns by the component that `sections` give it. Components of text are p, p, p,
// 0; those of an image differ.
void imrope_case(Capture& capture, const RopeCase& row, const std::vector<int32_t>& sections, bool image) {
  Case c(capture, row.name);
  add_attributes(c, row, "imrope");
  c.attribute("sections", sections);
  const auto tokens = static_cast<int64_t>(kPositions.size());
  std::vector<int32_t> positions;
  for (int32_t component = 0; component < 4; ++component) {
    for (const int32_t p : kPositions) {
      positions.push_back(image ? (p + 7 * component) % 8192 : component == 3 ? 0 : p);
    }
  }
  ggml_tensor* x = c.input(random_f32(82, {row.head_size, 3, tokens}));
  ggml_tensor* components = c.input(make_i32({4 * tokens}, positions));
  std::vector<int32_t> four = sections;
  c.output(ggml_rope_multi(c.context(), x, components, nullptr, row.n_dims, four.data(),
                           GGML_ROPE_TYPE_IMROPE, row.n_ctx_orig, row.freq_base, row.freq_scale,
                           row.ext_factor, row.attn_factor, row.beta_fast, row.beta_slow));
  c.run();
}

}  // namespace

void capture_rope(Capture& capture) {
  const RopeCase rows[] = {
      {.name = "normal"},
      {.name = "normal_partial", .head_size = 24, .n_dims = 16},
      {.name = "normal_base_1e5", .head_size = 64, .n_dims = 64, .freq_base = 1e5f},
      {.name = "normal_base_1e6", .freq_base = 1e6f},
      {.name = "normal_factors", .factors = true},
      {.name = "normal_linear", .freq_scale = 0.25f},
      {.name = "normal_yarn", .freq_scale = 0.25f, .ext_factor = 1.0f, .n_ctx_orig = 2048},
      {.name = "neox", .neox = true},
      {.name = "neox_partial", .neox = true, .head_size = 24, .n_dims = 16},
      {.name = "neox_base_1e5", .neox = true, .head_size = 64, .n_dims = 64, .freq_base = 1e5f},
      {.name = "neox_base_1e6", .neox = true, .freq_base = 1e6f},
      {.name = "neox_factors", .neox = true, .factors = true},
      {.name = "neox_factors_linear", .neox = true, .freq_scale = 0.5f, .factors = true},
      {.name = "neox_yarn",
       .neox = true,
       .head_size = 64,
       .n_dims = 64,
       .freq_scale = 0.25f,
       .ext_factor = 1.0f,
       .attn_factor = 0.8782488562869419f,
       .n_ctx_orig = 2048},
  };
  for (const RopeCase& row : rows) rope_case(capture, row);
}

void capture_rope_multi(Capture& capture) {
  RopeCase partial = {.name = "imrope_text", .head_size = 48, .n_dims = 32, .freq_base = 1e5f};
  imrope_case(capture, partial, {6, 5, 5, 0}, false);
  partial.name = "imrope_image";
  imrope_case(capture, partial, {6, 5, 5, 0}, true);
  partial.name = "imrope_image_fourth";
  imrope_case(capture, partial, {5, 3, 4, 2}, true);
}

}  // namespace tenon::oracle
