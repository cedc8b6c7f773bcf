// MUL_MAT: sources are weights [K, N] and x [K, T]; the result is [N, T]. For weights that are not F32 ggml
// rounds x to its dot product's type; `exact` is the F32 product of the dequantised weights.
#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

void product_case(Capture& capture, const std::string& name, const Array& weights, const Array& x) {
  Case c(capture, name);
  ggml_tensor* w = c.input(weights);
  ggml_tensor* b = c.input(x);
  c.output(ggml_mul_mat(c.context(), w, b));
  if (weights.type != GGML_TYPE_F32) {
    c.exact(ggml_mul_mat(c.context(), c.operand(dequantised(weights)), b));
  }
  c.run();
}

}  // namespace

void capture_mul_mat(Capture& capture) {
  product_case(capture, "f32", random_f32(51, {96, 40}), random_f32(52, {96, 5}));
  product_case(capture, "f32_one_token", random_f32(51, {96, 40}), random_f32(53, {96, 1}));
  product_case(capture, "f32_odd_extents", random_f32(54, {77, 37}), random_f32(55, {77, 3}));
  // Attention scores without flash attention: 8 heads of x share 2 of the weights.
  product_case(capture, "f32_grouped_heads", random_f32(56, {16, 12, 2}), random_f32(57, {16, 5, 8}));
}

void capture_mul_mat_types(Capture& capture) {
  for (ggml_type type : kWeightTypes) {
    const auto weights = [&](int64_t rows) {
      return make_array(type, {256, rows}, random_values(58, static_cast<size_t>(256 * rows)));
    };
    // Hundreds of results in either case: among fewer, chance decides whose rounding of x comes out better.
    product_case(capture, type_name(type), weights(40), random_f32(59, {256, 9}));
    product_case(capture, type_name(type) + "_one_token", weights(320), random_f32(60, {256, 1}));
  }
}

}  // namespace tenon::oracle
