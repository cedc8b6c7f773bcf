#include "tenon/op/reduce_sum.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Sums over the last axis, which stays with extent 1.
Translation translate_sum_rows(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(1));
  op::ReductionAttributes attributes;
  attributes.axes = {-1};
  TENON_ASSIGN(const ir::Value result,
               context.build().add(op::reduce_sum_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
