#include "tenon/translate/regroup.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

Translation translate_reshape(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto attributes, context.attributes<decoder::ReshapeAttributes>());
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  TENON_ASSIGN(const ir::Value result, regroup(context, inputs[0], attributes, declared));
  return std::vector{result};
}

}  // namespace tenon::translate
