#include "tenon/op/attention.h"
#include "tenon/op/convert.h"
#include "tenon/op/transpose.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// [B, T, H, D] <-> [B, H, T, D]. The order is a constant of its own each time: matchers of hosts want it to
// have one reader.
Result<ir::Value> swap_heads_and_tokens(NodeContext& context, ir::Value x) {
  return context.build().add(op::transpose_op(), {x, context.build().integers({0, 2, 1, 3})});
}

// Heads are facts of the model: the decoder's declared shapes have them even where a live value does not.
Status check_heads(NodeContext& context, int head_axis) {
  int64_t heads[3];
  for (int input = 0; input < 3; ++input) {
    TENON_ASSIGN(const TensorType declared, context.declared_input(input));
    if (declared.rank() != 4) return context.invalid("Q, K and V of rank 4", declared.to_string());
    const auto count = declared.dim(head_axis).try_value();
    if (!count || *count < 1 || !declared.dim(3).is_constant()) {
      return context.invalid("a constant head count at axis " + std::to_string(head_axis) +
                                 " and a constant head size at axis 3 of input " + std::to_string(input),
                             declared.to_string());
    }
    heads[input] = *count;
  }
  if (heads[1] != heads[2] || heads[0] % heads[1] != 0) {
    return context.invalid("query heads that are a multiple of the key and value heads",
                           std::to_string(heads[0]) + ", " + std::to_string(heads[1]) + " and " +
                               std::to_string(heads[2]) + " heads");
  }
  return {};
}

// The inputs of Attention after Q, K and V, and the structure that the mask stands for. A mask that a model
// input carries with its structure needs the queries' positions; any other is read as it is.
Status add_mask(NodeContext& context, ir::Value mask, std::vector<ir::Value>& inputs,
                op::AttentionAttributes& attributes) {
  inputs.push_back(mask);
  if (!mask.node().is("Parameter")) return {};
  const auto& parameter = mask.node().attributes_as<ir::ParameterAttributes>();
  attributes.mask = parameter.mask;
  if (parameter.mask == ir::MaskKind::kWindow) attributes.window = parameter.window;
  if (parameter.mask != ir::MaskKind::kCausal && parameter.mask != ir::MaskKind::kWindow) return {};
  const decoder::Leaf* const leaf = context.input_leaf(3);
  const auto* const declared = leaf ? std::get_if<decoder::Mask>(leaf) : nullptr;
  if (!declared) return context.invalid("a mask leaf behind a mask of known structure", mask.describe());
  TENON_ASSIGN(const ir::Value positions, context.value(declared->positions));
  inputs.push_back(positions);
  return {};
}

}  // namespace

// The inputs of Attention behind those of the mask. Sinks stand behind the queries' positions, so that a mask
// that needs none gets a stand-in, which nothing reads.
void add_sinks(NodeContext& context, ir::Value sinks, std::vector<ir::Value>& inputs) {
  constexpr size_t kBeforeSinks = 5;
  if (inputs.size() < kBeforeSinks) {
    inputs.push_back(context.model().add_constant(ir::integer_constant(ElementType::kI32, {}, {0}),
                                                  std::string(context.node().name) + "/positions"));
  }
  inputs.push_back(sinks);
}

// Inputs q, k, v, optional mask, optional sinks [H]. The result is [B, T, H, D] in both layouts, as ggml has
// it.
Translation translate_flash_attn_ext(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(3, 5));
  TENON_ASSIGN(const auto attention, context.attributes<decoder::AttentionAttributes>());
  if (attention.max_bias != 0) {
    return context.unsupported("attention without ALiBi", "max_bias " + std::to_string(attention.max_bias));
  }
  if (attention.logit_softcap != 0) {
    return context.unsupported("attention without a soft cap",
                               "logit_softcap " + std::to_string(attention.logit_softcap));
  }
  const bool heads_last = attention.layout == decoder::AttentionLayout::kHeadAxis2;
  if (!heads_last && attention.layout != decoder::AttentionLayout::kHeadAxis1) {
    return context.unknown_case();
  }
  TENON_RETURN_IF_ERROR(check_heads(context, heads_last ? 2 : 1));

  std::vector<ir::Value> values(inputs.begin(), inputs.begin() + 3);
  if (heads_last) {
    for (ir::Value& value : values) {
      TENON_ASSIGN(value, swap_heads_and_tokens(context, value));
    }
  }
  if (values[0].type().element != values[1].type().element) {
    op::ConvertAttributes convert;
    convert.to = values[1].type().element;
    TENON_ASSIGN(values[0], context.build().add(op::convert_op(), {values[0]}, convert));
  }
  op::AttentionAttributes attributes;
  attributes.scale = attention.scale;
  attributes.mask = ir::MaskKind::kBidirectional;
  if (inputs.size() >= 4) TENON_RETURN_IF_ERROR(add_mask(context, inputs[3], values, attributes));
  if (inputs.size() == 5) add_sinks(context, inputs[4], values);
  TENON_ASSIGN(const ir::Value result,
               context.build().add(op::attention_op(), std::move(values), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
