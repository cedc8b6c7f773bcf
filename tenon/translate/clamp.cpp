#include "tenon/op/clamp.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_clamp(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto range, context.attributes<decoder::ClampAttributes>());
  op::ClampAttributes attributes;
  attributes.min = range.min;
  attributes.max = range.max;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::clamp_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
