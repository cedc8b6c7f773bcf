// What models with a recurrent state are made of: CONCAT, SSM_CONV, SSM_SCAN, GATED_DELTA_NET. Extents in
// comments are ggml's, fastest first.
#include <cmath>

#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

// Decays: negative, some near 0 and some strong.
Array negative(uint64_t seed, const Extents& extents) {
  std::vector<float> values = random_values(seed, static_cast<size_t>(count(extents)), 2.0f);
  for (float& value : values) value = -std::fabs(value) - 0.0625f;
  return make_array(GGML_TYPE_F32, extents, values);
}

// Between 0 and 1, as a sigmoid gives.
Array share(uint64_t seed, const Extents& extents) {
  std::vector<float> values = random_values(seed, static_cast<size_t>(count(extents)), 0.5f);
  for (float& value : values) value += 0.5f;
  return make_array(GGML_TYPE_F32, extents, values);
}

void concat_case(Capture& capture, const char* name, int axis, const Extents& a, const Extents& b) {
  Case c(capture, name);
  c.attribute("axis", axis);
  ggml_tensor* left = c.input(random_f32(121, a));
  ggml_tensor* right = c.input(random_f32(122, b));
  c.output(ggml_concat(c.context(), left, right, axis));
  c.run();
}

// x [K - 1 + T, C, S], weight [K, C] -> [C, T, S].
void conv_case(Capture& capture, const char* name, int64_t kernel, int64_t channels, int64_t tokens,
               int64_t sequences) {
  Case c(capture, name);
  ggml_tensor* x = c.input(random_f32(131, {kernel - 1 + tokens, channels, sequences}));
  ggml_tensor* weight = c.input(random_f32(132, {kernel, channels}));
  c.output(ggml_ssm_conv(c.context(), x, weight));
  c.run();
}

struct ScanCase {
  const char* name;
  int64_t state = 24, size = 6, heads = 4, groups = 2, tokens = 5, sequences = 1;
  bool decay_per_state = false;  // A [N, H] instead of [1, H]
};

// state [N, P, H, S], x [P, H, T, S], dt [H, T, S], A, B and C [N, G, T, S], ids [S] -> y, then the states.
void scan_case(Capture& capture, const ScanCase& row) {
  Case c(capture, row.name);
  const int64_t n = row.state, s = row.sequences, t = row.tokens;
  ggml_tensor* state = c.input(random_f32(141, {n, row.size, row.heads, s}));
  ggml_tensor* x = c.input(random_f32(142, {row.size, row.heads, t, s}));
  ggml_tensor* dt = c.input(random_f32(143, {row.heads, t, s}));
  ggml_tensor* a = c.input(negative(144, {row.decay_per_state ? n : 1, row.heads}));
  ggml_tensor* b = c.input(random_f32(145, {n, row.groups, t, s}));
  ggml_tensor* weights = c.input(random_f32(146, {n, row.groups, t, s}));
  std::vector<int32_t> rows(static_cast<size_t>(s));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>(i);
  ggml_tensor* ids = c.input(make_i32({s}, rows));
  c.output(ggml_ssm_scan(c.context(), state, x, dt, a, b, weights, ids, 1));
  c.run();
}

struct DeltaCase {
  const char* name;
  int64_t size = 24, key_heads = 2, value_heads = 6, tokens = 5, sequences = 1;
  bool gate_per_channel = false;  // gate [D, Hv, T, S] instead of [1, Hv, T, S]
};

// q and k [D, Hk, T, S], v [D, Hv, T, S], gate, beta [1, Hv, T, S], state [D, D, Hv, S] -> out, then the
// states. Keys are short, as normalised ones are: the state stays bounded.
void delta_case(Capture& capture, const DeltaCase& row) {
  Case c(capture, row.name);
  const int64_t d = row.size, hv = row.value_heads, t = row.tokens, s = row.sequences;
  const float length = 1.5f / std::sqrt(static_cast<float>(d));
  ggml_tensor* q = c.input(random_f32(151, {d, row.key_heads, t, s}, length));
  ggml_tensor* k = c.input(random_f32(152, {d, row.key_heads, t, s}, length));
  ggml_tensor* v = c.input(random_f32(153, {d, hv, t, s}));
  ggml_tensor* gate = c.input(negative(154, {row.gate_per_channel ? d : 1, hv, t, s}));
  ggml_tensor* beta = c.input(share(155, {1, hv, t, s}));
  ggml_tensor* state = c.input(random_f32(156, {d, d, hv, s}));
  c.output(ggml_gated_delta_net(c.context(), q, k, v, gate, beta, state, 1));
  c.run();
}

}  // namespace

void capture_concat(Capture& capture) {
  concat_case(capture, "columns", 0, {3, 24, 2}, {5, 24, 2});
  concat_case(capture, "rows", 1, {24, 3, 2}, {24, 5, 2});
  concat_case(capture, "planes", 2, {24, 5, 2}, {24, 5, 3});
}

void capture_ssm_conv(Capture& capture) {
  conv_case(capture, "one_sequence", 4, 37, 5, 1);
  conv_case(capture, "sequences", 4, 37, 5, 2);
  conv_case(capture, "kernel_3", 3, 40, 34, 1);
  conv_case(capture, "one_token", 4, 37, 1, 1);
}

void capture_ssm_scan(Capture& capture) {
  scan_case(capture, {.name = "decay_per_head"});
  scan_case(capture, {.name = "sequences", .sequences = 2});
  scan_case(capture, {.name = "long_state", .state = 128, .size = 20, .tokens = 3});
  scan_case(capture, {.name = "decay_per_state", .decay_per_state = true});
}

void capture_gated_delta_net(Capture& capture) {
  delta_case(capture, {.name = "one_sequence"});
  delta_case(capture, {.name = "sequences", .sequences = 2});
  delta_case(capture, {.name = "long_heads", .size = 72, .value_heads = 4, .tokens = 3});
  delta_case(capture, {.name = "gate_per_channel", .gate_per_channel = true});
}

}  // namespace tenon::oracle
