#include "tenon/op/swiglu_oai.h"

#include "tenon/translate/gate_and_up.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_swiglu_oai(NodeContext& context) {
  TENON_ASSIGN(const auto glu, context.attributes<decoder::GluOaiAttributes>());
  TENON_ASSIGN(std::vector<ir::Value> parts, gate_and_up(context, glu.operands));
  op::SwigluOaiAttributes attributes;
  attributes.alpha = glu.alpha;
  attributes.limit = glu.limit;
  TENON_ASSIGN(const ir::Value result,
               context.build().add(op::swiglu_oai_op(), std::move(parts), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
