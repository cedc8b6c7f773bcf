#include "tenon/op/squeeze.h"
#include "tenon/op/topk.h"
#include "tenon/translate/index_selection.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// k by the decoder's attribute, its second input, or the declared output; never by asking a symbol for its
// value.
Result<ir::Value> choose_k(NodeContext& context, const std::vector<ir::Value>& inputs,
                           const TensorType& declared) {
  TENON_ASSIGN(const auto attributes, context.attributes<decoder::TopKAttributes>());
  const Dim available = inputs[0].type().dim(-1);
  if (attributes.k > 0 || (inputs.size() == 1 && declared.dim(-1).is_constant())) {
    const int64_t k = attributes.k > 0 ? attributes.k : declared.dim(-1).value();
    if (const auto n = available.try_value(); n && k > *n) {
      return context.invalid("k of at most the last extent, " + std::to_string(*n),
                             "k = " + std::to_string(k));
    }
    return scalar(context, k);
  }
  if (inputs.size() == 2) {
    if (inputs[1].type().rank() == 0) return inputs[1];
    op::SqueezeAttributes squeeze;
    for (int axis = 0; axis < inputs[1].type().rank(); ++axis) squeeze.axes.push_back(axis);
    return context.build().add(op::squeeze_op(), {inputs[1]}, squeeze);
  }
  if (declared.dim(-1) == available) return extent_as_scalar(context, inputs[0], inputs[0].type().rank() - 1);
  return context.unsupported("k by attribute, by a second input, or by the output's extent",
                             "an output of " + declared.to_string() + " from " + inputs[0].describe());
}

}  // namespace

// The ids of the k largest of the last axis, as a set: ggml does not promise their order.
Translation translate_top_k(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1, 2));
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  if (declared.rank() == 0 || inputs[0].type().rank() == 0)
    return context.invalid("at least one axis", "a scalar");
  TENON_ASSIGN(const ir::Value k, choose_k(context, inputs, declared));
  TENON_ASSIGN(
      const ir::Value ids,
      op::make_topk_indices(context.model(), inputs[0], k, inputs[0].type().rank() - 1, op::TopKMode::kMax,
                            declared.element, /*stable=*/false, std::string(context.node().name)));
  return std::vector{ids};
}

}  // namespace tenon::translate
