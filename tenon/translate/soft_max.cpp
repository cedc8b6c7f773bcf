#include "tenon/op/softmax.h"

#include "tenon/op/elementwise.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// Softmax over the last axis of x * scale + mask; x [B, H, T, KV], mask [B or 1, 1, T, KV] of f32 or f16.
Translation translate_soft_max(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1, 2));
  TENON_ASSIGN(const auto attributes, context.attributes<decoder::SoftMaxAttributes>());
  if (attributes.max_bias != 0)
    return context.unsupported("a softmax without ALiBi", "max_bias " + std::to_string(attributes.max_bias));
  op::Builder& build = context.build();
  ir::Value scores = inputs[0];
  if (attributes.scale != 1) {
    TENON_ASSIGN(scores, build.add(op::multiply_op(), {scores, build.scalar(attributes.scale)}));
  }
  if (inputs.size() == 2) {
    TENON_ASSIGN(const ir::Value mask, build.convert(inputs[1], scores.type().element));
    TENON_ASSIGN(scores, build.add(op::add_op(), {scores, mask}));
  }
  TENON_ASSIGN(const ir::Value result, build.add(op::softmax_op(), {scores}, op::SoftmaxAttributes()));
  return std::vector{result};
}

}  // namespace tenon::translate
