#include "tenon/op/geglu.h"

#include "tenon/translate/gate_and_up.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_geglu(NodeContext& context) {
  TENON_ASSIGN(const auto glu, context.attributes<decoder::GluAttributes>());
  TENON_ASSIGN(std::vector<ir::Value> parts, gate_and_up(context, glu));
  TENON_ASSIGN(const ir::Value result, context.build().add(op::geglu_op(), std::move(parts)));
  return std::vector{result};
}

}  // namespace tenon::translate
