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
    {"convert", step_convert},
    {"gather_rows", step_gather_rows},
    {"geglu", step_geglu},
    {"matmul", step_matmul},
    {"matmul_bias_residual", step_matmul_bias_residual},
    {"matmul_residual", step_matmul_residual},
    {"matmul_swiglu", step_matmul_swiglu},
    {"multiply", step_multiply},
    {"rms_norm", step_rms_norm},
    {"rope", step_rope},
    {"rope_table", step_rope_table},
    {"scatter_rows", step_scatter_rows},
    {"swiglu", step_swiglu},
    {"tanh", step_tanh},
};

}  // namespace

StepFunction find_step(std::string_view id) {
  const auto found = std::lower_bound(std::begin(kSteps), std::end(kSteps), id,
                                      [](const StepRow& row, std::string_view key) { return row.id < key; });
  return found != std::end(kSteps) && found->id == id ? found->function : nullptr;
}

}  // namespace tenon::cpu
