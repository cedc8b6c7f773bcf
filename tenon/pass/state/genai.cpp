#include "tenon/pass/state/genai.h"

#include "tenon/op/attention.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/range.h"
#include "tenon/op/reshape.h"
#include "tenon/op/shape_of.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/state/dense_mask.h"
#include "tenon/pass/state/recurrent.h"
#include "tenon/pass/state/token_axes.h"

namespace tenon::pass {

namespace {

constexpr const char* kPassName = "adapt_to_genai";

ir::Node* find_role(const ir::Model& model, ir::ParameterRole role) {
  for (ir::Node* const node : model.parameters()) {
    if (node->attributes_as<ir::ParameterAttributes>().role == role) return node;
  }
  return nullptr;
}

// The inputs that the new ones stand in for.
struct Inputs {
  ir::Node *tokens = nullptr, *positions = nullptr, *output_rows = nullptr;
};

struct NewInputs {
  ir::Value ids, positions, attention_mask;
};

// Of M-RoPE more than 1.
Dim components_of(const ir::Node& positions) {
  return positions.port_type(0).element_count().divide(Dim::symbol("T")).value_or(1);
}

Result<NewInputs> add_inputs(ir::Model& model, const Inputs& old) {
  const Axis batch(has_recurrent_state(model) ? Dim(1) : Dim::symbol("B"), AxisRole::kBatch),
      tokens(Dim::symbol("T"), AxisRole::kToken), cells(Dim::symbol("KV"), AxisRole::kPosition);
  model.symbols().try_emplace("B", Bounds{.min = 1});
  if (batch.extent.is_constant()) model.symbols()["B"] = {1, 1};
  const auto add = [&](std::string name, std::vector<Axis> axes, ir::ParameterRole role) {
    ir::ParameterAttributes attributes;
    attributes.name = std::move(name);
    attributes.type = {ElementType::kI64, std::move(axes)};
    attributes.role = role;
    return model.add_parameter(std::move(attributes));
  };
  std::vector<Axis> positions = {batch, tokens};
  if (old.positions && components_of(*old.positions) != Dim(1))
    positions.insert(positions.begin(), Axis(components_of(*old.positions)));
  NewInputs out;
  TENON_ASSIGN(out.ids, add("input_ids", {batch, tokens}, ir::ParameterRole::kTokens));
  TENON_ASSIGN(out.attention_mask, add("attention_mask", {batch, cells}, ir::ParameterRole::kMask));
  TENON_ASSIGN(out.positions, add("position_ids", std::move(positions), ir::ParameterRole::kPositions));
  return out;
}

// [components,1,T] one after the other in the old input's type and shape.
Result<ir::Value> flattened(ir::Model& model, ir::Value value, const ir::Node& old) {
  op::Builder build(model, old.name() + ".flat");
  TENON_ASSIGN(value, build.convert(value, old.port_type(0).element));
  op::ReshapeAttributes attributes;
  attributes.target = {1, 1, 1, -1};
  return build.add(op::reshape_op(), {value}, attributes);
}

// [B,T] in the old input's type, with axes of 1 put in.
Result<ir::Value> lifted(ir::Model& model, ir::Value value, const ir::Node& old, std::vector<int64_t> axes) {
  op::Builder build(model, old.name() + ".lifted");
  TENON_ASSIGN(value, build.convert(value, old.port_type(0).element));
  op::UnsqueezeAttributes attributes;
  attributes.axes = std::move(axes);
  return build.add(op::unsqueeze_op(), {value}, attributes);
}

// b·T + (T - 1) of each sequence b: its last token, among the tokens of all.
Result<ir::Value> last_rows(ir::Model& model, ir::Value ids) {
  const std::string name = "last_rows";
  op::Builder build(model, name);
  TENON_ASSIGN(const ir::Value batch, op::get_dimensions(model, ids, {0}, name));
  TENON_ASSIGN(const ir::Value tokens, op::get_dimensions(model, ids, {1}, name));
  op::RangeAttributes of_tokens;
  of_tokens.tokens = true;
  TENON_ASSIGN(ir::Value row, build.add(op::range_op(), {build.integers({0}), batch}, of_tokens));
  TENON_ASSIGN(row, build.add(op::multiply_op(), {row, tokens}));
  TENON_ASSIGN(const ir::Value last, build.add(op::subtract_op(), {tokens, build.integers({1})}));
  return build.add(op::add_op(), {row, last});
}

// Inputs that hold the count of new tokens hold that of all sequences' now: B·T.
Status count_ids(ir::Model& model, const ir::Node& old_tokens, ir::Value ids,
                 std::vector<std::pair<ir::Value, ir::Value>>& moves) {
  const auto tokens = old_tokens.port_type(0).dim(-1).symbol_name();
  for (ir::Node* const node : model.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    if (!tokens || attributes.value_symbol != *tokens || node->port_uses(0).empty()) continue;
    op::Builder build(model, attributes.name);
    TENON_ASSIGN(const ir::Value batch, op::get_dimensions(model, ids, {0}, attributes.name));
    TENON_ASSIGN(const ir::Value length, op::get_dimensions(model, ids, {1}, attributes.name));
    TENON_ASSIGN(ir::Value count, build.add(op::multiply_op(), {batch, length}));
    TENON_ASSIGN(count, build.convert(count, attributes.type.element));
    moves.emplace_back(node->output(0), count);
  }
  return {};
}

// Masks of a known structure become dense ones, which keep it as an annotation.
Status adapt_attention(ir::Model& model, const NewInputs& inputs) {
  DenseMasks masks(model, inputs.attention_mask, inputs.ids);
  std::vector<ir::Node*> attentions;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is("Attention")) attentions.push_back(node);
  }
  for (ir::Node* const node : attentions) {
    auto attributes = node->attributes_as<op::AttentionAttributes>();
    if (attributes.mask == ir::MaskKind::kExplicit) continue;
    attributes.structure = std::exchange(attributes.mask, ir::MaskKind::kExplicit);
    std::vector<ir::Value> operands(node->inputs().begin(), node->inputs().end());
    TENON_ASSIGN(const ir::Value mask, masks.get(attributes.structure, attributes.window));
    operands.resize(std::max<size_t>(operands.size(), op::kAttentionMask + 1), mask);
    operands[op::kAttentionMask] = mask;
    TENON_ASSIGN(ir::Node* const made,
                 model.add_in_place_of(*node, op::attention_op().schema, std::move(operands),
                                       std::make_unique<op::AttentionAttributes>(attributes)));
    TENON_RETURN_IF_ERROR(model.replace_uses(node->output(0), made->output(0)));
    model.erase(*node);
  }
  return {};
}

// [R,1,1,V] -> [R,1,V]
Status adapt_logits(ir::Model& model) {
  ir::Node* const result = model.find_result("logits");
  if (!result) return {};
  const ir::Value logits = result->input(0);
  op::ReshapeAttributes attributes;
  attributes.target = {0, -1, logits.type().dim(-1)};
  attributes.special_zero = true;
  TENON_ASSIGN(const ir::Value shaped,
               op::Builder(model, "logits").add(op::reshape_op(), {logits}, attributes));
  return model.set_input(*result, 0, shaped);
}

// Inputs of a GGUF model that nothing reads any more: the masks, row indices and lengths.
void drop_unread_inputs(ir::Model& model, const std::vector<ir::Node*>& old) {
  model.erase_unreachable();
  for (ir::Node* const node : old) {
    if (node->port_uses(0).empty()) model.erase(*node);
  }
}

Result<bool> run(ir::Model& model, ir::PassContext& context, const GenaiOptions& options) {
  const Inputs old{find_role(model, ir::ParameterRole::kTokens),
                   find_role(model, ir::ParameterRole::kPositions),
                   find_role(model, ir::ParameterRole::kOutputRows)};
  if (!old.tokens || old.tokens->port_type(0).rank() != 4) {
    context.explain(model.name(), "it has not the inputs of a GGUF model");
    return false;
  }
  if (model.count("ReadValue") == 0) {
    return Error{ErrorCode::kInvalidGraph, kPassName, "a stateful model", "one without variables",
                 "run make_stateful before"};
  }
  std::vector<ir::Node*> old_inputs;
  for (ir::Node* const node : model.parameters()) {
    if (node->attributes_as<ir::ParameterAttributes>().role != ir::ParameterRole::kBeamIndices)
      old_inputs.push_back(node);
  }
  TENON_RETURN_IF_ERROR(move_embedding_axes(model, *old.tokens));
  if (old.output_rows) TENON_RETURN_IF_ERROR(flatten_row_selections(model, *old.output_rows));

  TENON_ASSIGN(const NewInputs inputs, add_inputs(model, old));
  std::vector<std::pair<ir::Value, ir::Value>> moves;
  TENON_ASSIGN(const ir::Value ids, lifted(model, inputs.ids, *old.tokens, {0, 1}));
  moves.emplace_back(old.tokens->output(0), ids);
  if (old.positions) {
    TENON_ASSIGN(const ir::Value positions, inputs.positions.type().rank() == 3
                                                ? flattened(model, inputs.positions, *old.positions)
                                                : lifted(model, inputs.positions, *old.positions, {1, 2}));
    moves.emplace_back(old.positions->output(0), positions);
  }
  if (old.output_rows && !options.chosen_rows) {
    TENON_ASSIGN(ir::Value rows, last_rows(model, inputs.ids));
    TENON_ASSIGN(rows, op::Builder(model, "last_rows").convert(rows, old.output_rows->port_type(0).element));
    moves.emplace_back(old.output_rows->output(0), rows);
  }
  TENON_RETURN_IF_ERROR(count_ids(model, *old.tokens, inputs.ids, moves));
  TENON_RETURN_IF_ERROR(model.replace_uses(moves));
  TENON_RETURN_IF_ERROR(adapt_attention(model, inputs));
  TENON_RETURN_IF_ERROR(adapt_logits(model));
  drop_unread_inputs(model, old_inputs);
  return true;
}

}  // namespace

ir::Pass adapt_to_genai(GenaiOptions options) {
  return {kPassName,
          [options](ir::Model& model, ir::PassContext& context) { return run(model, context, options); }};
}

}  // namespace tenon::pass
