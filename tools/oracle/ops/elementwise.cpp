// ADD, SUB, MUL, DIV, SCALE, CLAMP, SUM_ROWS, RMS_NORM, the unary functions, GEGLU and SWIGLU. Extents in
// comments are ggml's, fastest first.
#include <cmath>

#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

using Binary = ggml_tensor* (*)(ggml_context*, ggml_tensor*, ggml_tensor*);
using Unary = ggml_tensor* (*)(ggml_context*, ggml_tensor*);

void binary_case(Capture& capture, const char* name, Binary op, const Extents& left, const Extents& right) {
  Case c(capture, name);
  ggml_tensor* a = c.input(random_f32(11, left));
  ggml_tensor* b = c.input(random_f32(12, right));
  c.output(op(c.context(), a, b));
  c.run();
}

void binary_cases(Capture& capture, Binary op) {
  binary_case(capture, "same_shape", op, {96, 5}, {96, 5});
  binary_case(capture, "row_broadcast", op, {96, 5}, {96});           // a bias or a norm's weight
  binary_case(capture, "row_broadcast_heads", op, {24, 4, 5}, {24});  // a norm per head
  binary_case(capture, "column_broadcast", op, {24, 5}, {1, 5});
}

void unary_case(Capture& capture, Unary op) {
  Case c(capture, "minus_6_to_6");
  c.output(op(c.context(), c.input(activations())));
  c.run();
}

void glu_case(Capture& capture, Binary op) {
  Case c(capture, "split");
  ggml_tensor* gate = c.input(activations());
  ggml_tensor* up = c.input(random_f32(21, {110, 7}, 6.0f));
  c.output(op(c.context(), gate, up));
  c.run();
}

void clamp_case(Capture& capture, const char* name, float min, float max) {
  Case c(capture, name);
  c.attribute("min", min);
  c.attribute("max", max);
  c.output(ggml_clamp(c.context(), c.input(activations()), min, max));
  c.run();
}

void swiglu_oai_case(Capture& capture, const char* name, float alpha, float limit) {
  Case c(capture, name);
  c.attribute("alpha", alpha);
  c.attribute("limit", limit);
  ggml_tensor* gate = c.input(activations());
  ggml_tensor* up = c.input(random_f32(22, {110, 7}, 6.0f));
  c.output(ggml_swiglu_oai(c.context(), gate, up, alpha, limit));
  c.run();
}

void rms_norm_case(Capture& capture, const char* name, const Extents& extents, float epsilon, float limit) {
  Case c(capture, name);
  c.attribute("epsilon", epsilon);
  c.output(ggml_rms_norm(c.context(), c.input(random_f32(31, extents, limit)), epsilon));
  c.run();
}

void scale_case(Capture& capture, const char* name, float scale, float bias) {
  Case c(capture, name);
  c.attribute("scale", scale);
  c.attribute("bias", bias);
  c.output(ggml_scale_bias(c.context(), c.input(random_f32(41, {96, 5})), scale, bias));
  c.run();
}

}  // namespace

void capture_add(Capture& capture) { binary_cases(capture, ggml_add); }
void capture_div(Capture& capture) { binary_cases(capture, ggml_div); }
void capture_sub(Capture& capture) { binary_cases(capture, ggml_sub); }
void capture_mul(Capture& capture) { binary_cases(capture, ggml_mul); }

void capture_sigmoid(Capture& capture) { unary_case(capture, ggml_sigmoid); }
void capture_silu(Capture& capture) { unary_case(capture, ggml_silu); }
void capture_gelu(Capture& capture) { unary_case(capture, ggml_gelu); }
void capture_gelu_erf(Capture& capture) { unary_case(capture, ggml_gelu_erf); }
void capture_gelu_quick(Capture& capture) { unary_case(capture, ggml_gelu_quick); }

void capture_tanh(Capture& capture) { unary_case(capture, ggml_tanh); }

void capture_geglu(Capture& capture) { glu_case(capture, ggml_geglu_split); }
void capture_swiglu(Capture& capture) { glu_case(capture, ggml_swiglu_split); }

// Limits within the operands' range, so that both sides of each clamp are seen, and the usual ones.
void capture_swiglu_oai(Capture& capture) {
  swiglu_oai_case(capture, "limit_7", 1.702f, 7.0f);
  swiglu_oai_case(capture, "limit_3", 1.702f, 3.0f);
  swiglu_oai_case(capture, "alpha_0.75", 0.75f, 2.5f);
}

void capture_clamp(Capture& capture) {
  clamp_case(capture, "both_sides", -1.5f, 3.25f);
  clamp_case(capture, "from_below", 6.103515625e-5f, INFINITY);
}

void capture_sum_rows(Capture& capture) {
  Case c(capture, "rows");
  c.output(ggml_sum_rows(c.context(), c.input(random_f32(13, {96, 5, 3}))));
  c.run();
}

// Past 20 as well, where ggml gives x itself.
void capture_softplus(Capture& capture) {
  unary_case(capture, ggml_softplus);
  Case c(capture, "minus_30_to_30");
  c.output(ggml_softplus(c.context(), c.input(random_f32(22, {96, 5}, 30.0f))));
  c.run();
}

void capture_rms_norm(Capture& capture) {
  rms_norm_case(capture, "epsilon_1e-5", {96, 5}, 1e-5f, 2.0f);
  rms_norm_case(capture, "epsilon_1e-6", {96, 5}, 1e-6f, 2.0f);
  rms_norm_case(capture, "heads", {24, 4, 5}, 1e-6f, 2.0f);
  // Values so small that epsilon decides: a misplaced or missing epsilon cannot hide.
  rms_norm_case(capture, "epsilon_matters", {96, 5}, 1e-5f, 1.0f / 128.0f);
}

void capture_scale(Capture& capture) {
  scale_case(capture, "scale", 0.125f, 0.0f);
  scale_case(capture, "scale_bias", -1.7f, 0.3f);
}

}  // namespace tenon::oracle
