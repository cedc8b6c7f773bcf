#include "tenon/op/transpose.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

// The last two axes trade places.
Translation translate_transpose(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  if (inputs[0].type().rank() != 4) return context.invalid("a tensor of rank 4", inputs[0].describe());
  op::Builder& build = context.build();
  TENON_ASSIGN(const ir::Value result,
               build.add(op::transpose_op(), {inputs[0], build.integers({0, 1, 3, 2})}));
  return std::vector{result};
}

}  // namespace tenon::translate
