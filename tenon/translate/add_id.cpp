#include "tenon/op/elementwise.h"
#include "tenon/op/gather.h"
#include "tenon/translate/expert_ids.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs x [1, T, U, N], biases [E, N], ids [1, 1, T, U]: to each row of x the row of its expert.
Translation translate_add_id(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(3));
  op::Builder& build = context.build();
  TENON_ASSIGN(const ir::Value ids, expert_ids(context, inputs[2]));
  TENON_ASSIGN(const ir::Value rows, build.add(op::gather_op(), {inputs[1], ids}, op::GatherAttributes()));
  TENON_ASSIGN(const ir::Value result, build.add(op::add_op(), {inputs[0], rows}));
  return std::vector{result};
}

}  // namespace tenon::translate
