#include "tenon/op/rms_norm.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_rms_norm(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto norm, context.attributes<decoder::NormAttributes>());
  op::RmsNormAttributes attributes;
  attributes.epsilon = norm.epsilon;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::rms_norm_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
