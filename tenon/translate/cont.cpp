#include "tenon/translate/regroup.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Values of the graph have no strides, so nothing is left to do but the regrouping that ggml's CONT may
// include.
Translation translate_cont(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  TENON_ASSIGN(const ir::Value result, regroup(context, inputs[0], {}, declared));
  return std::vector{result};
}

}  // namespace tenon::translate
