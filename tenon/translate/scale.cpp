#include "tenon/op/elementwise.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// x * scale + bias; no Add for a bias of 0.
Translation translate_scale(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto attributes, context.attributes<decoder::ScaleAttributes>());
  op::Builder& build = context.build();
  TENON_ASSIGN(ir::Value result, build.add(op::multiply_op(), {inputs[0], build.scalar(attributes.scale)}));
  if (attributes.bias != 0) {
    TENON_ASSIGN(result, build.add(op::add_op(), {result, build.scalar(attributes.bias)}));
  }
  return std::vector{result};
}

}  // namespace tenon::translate
