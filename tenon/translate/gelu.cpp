#include "tenon/op/gelu.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

Translation translate_as(NodeContext& context, op::GeluMode mode) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(1));
  op::GeluAttributes attributes;
  attributes.mode = mode;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::gelu_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace

Translation translate_gelu(NodeContext& context) { return translate_as(context, op::GeluMode::kTanh); }
Translation translate_gelu_erf(NodeContext& context) { return translate_as(context, op::GeluMode::kErf); }
Translation translate_gelu_quick(NodeContext& context) { return translate_as(context, op::GeluMode::kQuick); }

}  // namespace tenon::translate
