#include "tenon/cpu/steps.h"

#include <algorithm>

namespace tenon::cpu {

namespace {

struct StepRow {
  std::string_view id;
  StepFunction function;
};

// Sorted by id.
constexpr StepRow kSteps[] = {
    {"StatelessKV", step_stateless_kv},
    {"add", step_add},
    {"attention", step_attention},
    {"concat", step_concat},
    {"convert", step_convert},
    {"copy", step_copy},
    {"divide", step_divide},
    {"gated_delta_net", step_gated_delta_net},
    {"gather_rows", step_gather_rows},
    {"geglu", step_geglu},
    {"gelu", step_gelu},
    {"matmul", step_matmul},
    {"matmul_bias_residual", step_matmul_bias_residual},
    {"matmul_experts", step_matmul_experts},
    {"matmul_experts_swiglu", step_matmul_experts_swiglu},
    {"matmul_residual", step_matmul_residual},
    {"matmul_swiglu", step_matmul_swiglu},
    {"multiply", step_multiply},
    {"paged_attention", step_paged_attention},
    {"rms_norm", step_rms_norm},
    {"rope", step_rope},
    {"rope_table", step_rope_table},
    {"scatter_rows", step_scatter_rows},
    {"sigmoid", step_sigmoid},
    {"silu", step_silu},
    {"softmax", step_softmax},
    {"softplus", step_softplus},
    {"ssm_conv", step_ssm_conv},
    {"ssm_scan", step_ssm_scan},
    {"swiglu", step_swiglu},
    {"swiglu_oai", step_swiglu_oai},
    {"tanh", step_tanh},
    {"topk", step_topk},
};

}  // namespace

StepFunction find_step(std::string_view id) {
  const auto found = std::lower_bound(std::begin(kSteps), std::end(kSteps), id,
                                      [](const StepRow& row, std::string_view key) { return row.id < key; });
  return found != std::end(kSteps) && found->id == id ? found->function : nullptr;
}

}  // namespace tenon::cpu
