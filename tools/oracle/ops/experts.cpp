// What a mixture of experts adds: MUL_MAT_ID, ADD_ID, and GET_ROWS of each token's weights. Extents in
// comments are ggml's, fastest first.
#include "ops/inputs.h"
#include "ops/ops.h"

namespace tenon::oracle {
namespace {

constexpr int kExperts = 5;
constexpr int kTokens = 7;
constexpr int kUsed = 3;

// [used, tokens]: to each token different experts, in no order.
Array distinct_ids(int used, int tokens) {
  std::vector<int32_t> ids;
  for (int t = 0; t < tokens; ++t) {
    const std::vector<int32_t> order = permutation(static_cast<uint64_t>(141 + t), kExperts);
    ids.insert(ids.end(), order.begin(), order.begin() + used);
  }
  return make_i32({used, tokens}, ids);
}

// 2 of 3 experts for 20 tokens: the first has them all, the second 17, the third 3.
Array uneven_ids() {
  std::vector<int32_t> ids;
  for (int t = 0; t < 20; ++t) {
    ids.push_back(t % 2 == 0 ? 0 : (t < 6 ? 2 : 1));
    ids.push_back(t % 2 == 0 ? 1 : 0);
  }
  return make_i32({2, 20}, ids);
}

// Sources are weights [K, N, E], x [K, S, T] and ids [U, T]; the result is [N, U, T].
void product_case(Capture& capture, const std::string& name, const Array& weights, const Array& x,
                  const Array& ids) {
  Case c(capture, name);
  ggml_tensor* w = c.input(weights);
  ggml_tensor* b = c.input(x);
  ggml_tensor* chosen = c.input(ids);
  c.output(ggml_mul_mat_id(c.context(), w, b, chosen));
  if (weights.type != GGML_TYPE_F32) {
    c.exact(ggml_mul_mat_id(c.context(), c.operand(dequantised(weights)), b, chosen));
  }
  c.run();
}

}  // namespace

void capture_mul_mat_id(Capture& capture) {
  const Array weights = random_f32(151, {96, 40, kExperts});
  const Array ids = distinct_ids(kUsed, kTokens);
  product_case(capture, "f32_row_for_all", weights, random_f32(152, {96, 1, kTokens}), ids);
  product_case(capture, "f32_row_for_each", weights, random_f32(153, {96, kUsed, kTokens}), ids);
  product_case(capture, "f32_one_token", weights, random_f32(154, {96, kUsed, 1}), distinct_ids(kUsed, 1));
  product_case(capture, "f32_odd_extents", random_f32(155, {77, 37, kExperts}),
               random_f32(156, {77, 1, kTokens}), ids);
}

void capture_mul_mat_id_types(Capture& capture) {
  for (ggml_type type : kWeightTypes) {
    const Array weights = make_array(type, {256, 24, 3}, random_values(157, 256 * 24 * 3));
    product_case(capture, type_name(type), weights, random_f32(158, {256, 1, 20}), uneven_ids());
    product_case(capture, type_name(type) + "_one_token", weights, random_f32(159, {256, 2, 1}),
                 make_i32({2, 1}, {2, 0}));
  }
}

void capture_add_id(Capture& capture) {
  Case c(capture, "distinct");
  ggml_tensor* x = c.input(random_f32(161, {24, kUsed, kTokens}));
  ggml_tensor* biases = c.input(random_f32(162, {24, kExperts}));
  c.output(ggml_add_id(c.context(), x, biases, c.input(distinct_ids(kUsed, kTokens))));
  c.run();
}

// The weights of the chosen experts: [1, E, T] by ids [U, T] gives [1, U, T].
void capture_get_rows_batched(Capture& capture) {
  Case c(capture, "weights_of_experts");
  ggml_tensor* weights = c.input(random_f32(163, {1, kExperts, kTokens}));
  c.output(ggml_get_rows(c.context(), weights, c.input(distinct_ids(kUsed, kTokens))));
  c.run();
}

}  // namespace tenon::oracle
