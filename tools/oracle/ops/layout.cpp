// Ops that move or reinterpret elements. A view's elements are read by CONT, as ggml itself reads them.
#include <cmath>

#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

void permute_case(Capture& capture, const char* name, const Extents& extents,
                  const std::vector<int32_t>& axes) {
  Case c(capture, name);
  c.attribute("axes", axes);  // source axis i becomes axis axes[i]
  ggml_tensor* x = c.input(random_f32(111, extents));
  c.output(ggml_cont(c.context(), ggml_permute(c.context(), x, axes[0], axes[1], axes[2], axes[3])));
  c.run();
}

void reshape_case(Capture& capture, const char* name, const Extents& from, Extents to) {
  Case c(capture, name);
  to.resize(4, 1);
  c.attribute("extents", to);
  ggml_tensor* x = c.input(random_f32(112, from));
  c.output(ggml_cont(c.context(), ggml_reshape_4d(c.context(), x, to[0], to[1], to[2], to[3])));
  c.run();
}

void view_case(Capture& capture, const char* name, const Extents& from, Extents to, int64_t first_element) {
  Case c(capture, name);
  to.resize(4, 1);
  ggml_tensor* x = c.input(random_f32(113, from));
  const auto offset = static_cast<size_t>(first_element) * sizeof(float);
  ggml_tensor* view =
      ggml_view_4d(c.context(), x, to[0], to[1], to[2], to[3], x->nb[1], x->nb[2], x->nb[3], offset);
  c.attribute("extents", to);
  c.attribute("strides", std::vector<int64_t>(view->nb, view->nb + 4));  // bytes
  c.attribute("offset", static_cast<int64_t>(offset));                   // bytes
  c.output(ggml_cont(c.context(), view));
  c.run();
}

void copy_case(Capture& capture, const std::string& name, ggml_type from, ggml_type to,
               std::span<const float> values) {
  const Extents extents = {static_cast<int64_t>(values.size()) / 2, 2};
  Case c(capture, name);
  ggml_tensor* x = c.input(make_array(from, extents, values));
  ggml_tensor* destination = ggml_new_tensor_2d(c.context(), to, extents[0], extents[1]);
  c.output(ggml_cpy(c.context(), x, destination));
  c.run();
}

}  // namespace

void capture_permute(Capture& capture) {
  permute_case(capture, "swap_heads_and_tokens", {6, 3, 5}, {0, 2, 1, 3});
  permute_case(capture, "rotate", {6, 3, 5, 2}, {1, 2, 0, 3});
  permute_case(capture, "sequences", {6, 3, 5, 2}, {0, 2, 1, 3});
}

void capture_transpose(Capture& capture) {
  Case c(capture, "rows_and_columns");
  c.output(ggml_cont(c.context(), ggml_transpose(c.context(), c.input(random_f32(114, {7, 5, 3})))));
  c.run();
}

void capture_reshape(Capture& capture) {
  reshape_case(capture, "split_heads", {24, 5}, {6, 4, 5});
  reshape_case(capture, "merge_heads", {6, 4, 5}, {24, 5});
  reshape_case(capture, "split_sequences", {6, 4, 10}, {6, 4, 5, 2});
}

void capture_view(Capture& capture) {
  view_case(capture, "first_tokens", {6, 4, 9}, {6, 4, 5}, 0);
  view_case(capture, "later_tokens", {6, 4, 9}, {6, 4, 5}, 6 * 4 * 3);
  view_case(capture, "half_of_each_row", {24, 5}, {12, 5}, 12);
}

void capture_cont(Capture& capture) {
  {
    Case c(capture, "of_permute");
    ggml_tensor* x = c.input(random_f32(115, {6, 3, 5}));
    c.attribute("axes", std::vector<int32_t>{0, 2, 1, 3});
    c.output(ggml_cont(c.context(), ggml_permute(c.context(), x, 0, 2, 1, 3)));
    c.run();
  }
  Case c(capture, "of_permute_merged");  // how attention without flash attention joins its heads
  ggml_tensor* x = c.input(random_f32(116, {6, 5, 3}));
  c.attribute("axes", std::vector<int32_t>{0, 2, 1, 3});
  c.attribute("extents", std::vector<int64_t>{18, 5, 1, 1});
  c.output(ggml_cont_2d(c.context(), ggml_permute(c.context(), x, 0, 2, 1, 3), 18, 5));
  c.run();
}

void capture_cpy(Capture& capture) {
  // Rounding decides here: ties to even on both sides, subnormals of f16, its largest value, overflow.
  std::vector<float> hard = {1.0f + 0x1p-11f,
                             1.0f + 0x3p-11f,
                             1.0f + 0x1.8p-11f,
                             -1.0f - 0x1p-11f,
                             0x1p-24f,
                             0x1p-25f,
                             0x3p-25f,
                             0x1.8p-25f,
                             65504.0f,
                             65519.0f,
                             65520.0f,
                             -70000.0f,
                             0x1p-14f,
                             0x1.ffcp-15f,
                             -0.0f,
                             INFINITY,
                             1.0f / 3.0f,
                             -2.0f / 3.0f,
                             1e-5f,
                             3.14159265f};
  for (int i = 0; i < 44; ++i) hard.push_back(std::ldexp(1.0f + static_cast<float>(i) / 45.0f, i - 26));
  copy_case(capture, "f32_to_f16", GGML_TYPE_F32, GGML_TYPE_F16, hard);
  copy_case(capture, "f32_to_bf16", GGML_TYPE_F32, GGML_TYPE_BF16, hard);
  copy_case(capture, "f16_to_f32", GGML_TYPE_F16, GGML_TYPE_F32, hard);
  copy_case(capture, "bf16_to_f32", GGML_TYPE_BF16, GGML_TYPE_F32, hard);
}

}  // namespace tenon::oracle
