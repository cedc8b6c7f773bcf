#include "tenon/cpu/steps.h"

#include <algorithm>

namespace tenon::cpu {

namespace {

struct StepRow {
  std::string_view id;
  StepKernel kernel;
};

// Sorted by id.
constexpr StepRow kSteps[] = {
    {"StatelessKV", {step_stateless_kv, Help::kShares}},
    {"add", {step_add, Help::kShares}},
    {"attention", {step_attention, Help::kTurns}},
    {"concat", {step_concat, Help::kNone}},
    {"convert", {step_convert, Help::kShares}},
    {"copy", {step_copy, Help::kShares}},
    {"divide", {step_divide, Help::kShares}},
    {"gated_delta_net", {step_gated_delta_net, Help::kShares}},
    {"gather_rows", {step_gather_rows, Help::kShares}},
    {"geglu", {step_geglu, Help::kShares}},
    {"gelu", {step_gelu, Help::kShares}},
    {"matmul", {step_matmul, Help::kTurns}},
    {"matmul_bias_residual", {step_matmul_bias_residual, Help::kTurns}},
    {"matmul_experts", {step_matmul_experts, Help::kNone}},
    {"matmul_experts_swiglu", {step_matmul_experts_swiglu, Help::kNone}},
    {"matmul_residual", {step_matmul_residual, Help::kTurns}},
    {"matmul_swiglu", {step_matmul_swiglu, Help::kTurns}},
    {"multiply", {step_multiply, Help::kShares}},
    {"paged_attention", {step_paged_attention, Help::kTurns}},
    {"rms_norm", {step_rms_norm, Help::kShares}},
    {"rope", {step_rope, Help::kShares}},
    {"rope_table", {step_rope_table, Help::kShares}},
    {"scatter_rows", {step_scatter_rows, Help::kNone}},
    {"sigmoid", {step_sigmoid, Help::kShares}},
    {"silu", {step_silu, Help::kShares}},
    {"softmax", {step_softmax, Help::kShares}},
    {"softplus", {step_softplus, Help::kShares}},
    {"ssm_conv", {step_ssm_conv, Help::kShares}},
    {"ssm_scan", {step_ssm_scan, Help::kShares}},
    {"swiglu", {step_swiglu, Help::kShares}},
    {"swiglu_oai", {step_swiglu_oai, Help::kShares}},
    {"tanh", {step_tanh, Help::kShares}},
    {"topk", {step_topk, Help::kNone}},
};

}  // namespace

StepKernel find_step(std::string_view id) {
  const auto found = std::lower_bound(std::begin(kSteps), std::end(kSteps), id,
                                      [](const StepRow& row, std::string_view key) { return row.id < key; });
  return found != std::end(kSteps) && found->id == id ? found->kernel : StepKernel{};
}

}  // namespace tenon::cpu
