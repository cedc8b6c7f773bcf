#include "tenon/translate/expert_ids.h"

#include "tenon/op/squeeze.h"

namespace tenon::translate {

Result<ir::Value> expert_ids(NodeContext& context, ir::Value ids) {
  if (ids.type().rank() != 4) return context.invalid("ids of rank 4, [1, 1, T, U]", ids.describe());
  op::SqueezeAttributes second;
  second.axes = {1};  // not the outermost: a pass may put the tokens there
  for (const ir::Use& use : ids.node().port_uses(ids.port())) {
    if (use.user->is("Squeeze") && use.user->attributes_as<op::SqueezeAttributes>().axes == second.axes)
      return use.user->output(0);
  }
  return context.build().add(op::squeeze_op(), {ids}, second);
}

}  // namespace tenon::translate
