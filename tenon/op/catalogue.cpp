#include <algorithm>
#include <array>

#include "tenon/op/assign.h"
#include "tenon/op/attention.h"
#include "tenon/op/broadcast.h"
#include "tenon/op/clamp.h"
#include "tenon/op/comparison.h"
#include "tenon/op/concat.h"
#include "tenon/op/convert.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/gated_delta_net.h"
#include "tenon/op/gather.h"
#include "tenon/op/geglu.h"
#include "tenon/op/gelu.h"
#include "tenon/op/leaves.h"
#include "tenon/op/matmul.h"
#include "tenon/op/matmul_experts.h"
#include "tenon/op/op.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/range.h"
#include "tenon/op/read_value.h"
#include "tenon/op/reduce_mean.h"
#include "tenon/op/reduce_sum.h"
#include "tenon/op/reshape.h"
#include "tenon/op/rms_norm.h"
#include "tenon/op/rope.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/set_rows.h"
#include "tenon/op/shape_of.h"
#include "tenon/op/softmax.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/ssm_conv.h"
#include "tenon/op/ssm_scan.h"
#include "tenon/op/swiglu.h"
#include "tenon/op/swiglu_oai.h"
#include "tenon/op/topk.h"
#include "tenon/op/transpose.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/op/variadic_split.h"

namespace tenon::op {

std::span<const OpDefinition* const> all_ops() {
  // Sorted by the ops' names, upper case before lower case.
  static const auto ops = std::to_array<const OpDefinition*>({
      &add_op(),        &assign_op(),          &attention_op(),   &broadcast_op(),
      &clamp_op(),      &concat_op(),          &constant_op(),    &convert_op(),
      &cos_op(),        &divide_op(),          &erf_op(),         &gated_delta_net_op(),
      &gather_op(),     &geglu_op(),           &gelu_op(),        &less_op(),
      &less_equal_op(), &logical_and_op(),     &matmul_op(),      &matmul_experts_op(),
      &multiply_op(),   &paged_attention_op(), &parameter_op(),   &rms_norm_op(),
      &range_op(),      &read_value_op(),      &reduce_mean_op(), &reduce_sum_op(),
      &reshape_op(),    &result_op(),          &rope_op(),        &scatter_update_op(),
      &select_op(),     &set_rows_op(),        &shape_of_op(),    &sigmoid_op(),
      &sin_op(),        &softplus_op(),        &softmax_op(),     &sqrt_op(),
      &squeeze_op(),    &ssm_conv_op(),        &ssm_scan_op(),    &subtract_op(),
      &swiglu_op(),     &swiglu_oai_op(),      &swish_op(),       &tanh_op(),
      &topk_op(),       &transpose_op(),       &unsqueeze_op(),   &variadic_split_op(),
  });
  return ops;
}

const OpDefinition* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto found =
      std::lower_bound(ops.begin(), ops.end(), name,
                       [](const OpDefinition* op, std::string_view key) { return op->schema.name < key; });
  return found != ops.end() && (*found)->schema.name == name ? *found : nullptr;
}

ir::SchemaTable all_schemas() {
  static const std::vector<const ir::OpSchema*> schemas = [] {
    std::vector<const ir::OpSchema*> out;
    for (const OpDefinition* op : all_ops()) out.push_back(&op->schema);
    return out;
  }();
  return schemas;
}

}  // namespace tenon::op
