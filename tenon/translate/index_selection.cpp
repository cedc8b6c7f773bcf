#include "tenon/translate/index_selection.h"

#include "tenon/op/shape_of.h"
#include "tenon/op/squeeze.h"

namespace tenon::translate {

ir::Value scalar(NodeContext& context, int64_t value) {
  return context.model().add_constant(ir::integer_constant(ElementType::kI64, {}, {value}),
                                      std::string(context.node().name) + "/k");
}

Result<ir::Value> extent_as_scalar(NodeContext& context, ir::Value value, int64_t axis) {
  if (axis < 0 || axis >= value.type().rank()) {
    return context.invalid("an axis " + std::to_string(axis), value.describe());
  }
  if (const auto extent = value.type().dim(static_cast<int>(axis)).try_value())
    return scalar(context, *extent);
  TENON_ASSIGN(const ir::Value extent,
               op::get_dimensions(context.model(), value, {axis}, std::string(context.node().name) + "/k"));
  op::SqueezeAttributes squeeze;
  squeeze.axes = {0};
  return context.build().add(op::squeeze_op(), {extent}, squeeze);
}

}  // namespace tenon::translate
