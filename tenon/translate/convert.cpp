#include "tenon/translate/convert.h"

#include <algorithm>

#include "tenon/translate/leaves.h"
#include "tenon/translate/node_context.h"

namespace tenon::translate {

namespace {

// Extents that are both known must agree; a symbol may turn out to have the other's value.
bool may_be(const TensorType& declared, const TensorType& inferred) {
  if (declared.element != inferred.element || declared.rank() != inferred.rank()) return false;
  for (int i = 0; i < declared.rank(); ++i) {
    const std::optional<int64_t> wanted = declared.dim(i).try_value();
    const std::optional<int64_t> found = inferred.dim(i).try_value();
    if (wanted && found && *wanted != *found) return false;
  }
  return true;
}

Status check_ports(const NodeContext& context, const std::vector<ir::Value>& values) {
  const std::vector<TensorType>& declared = context.node().outputs;
  if (values.size() != declared.size()) {
    return context.invalid(std::to_string(declared.size()) + " outputs from its translator",
                           std::to_string(values.size()));
  }
  for (size_t port = 0; port < declared.size(); ++port) {
    if (may_be(declared[port], values[port].type())) continue;
    return context.invalid("the declared " + declared[port].to_string() + " at port " + std::to_string(port),
                           values[port].describe());
  }
  return {};
}

// Heads and their size are facts of the model.
Status check_heads(const decoder::NodeView& node) {
  const bool is_cache = std::holds_alternative<decoder::Cache>(node.leaf);
  for (const TensorType& type : node.outputs) {
    for (int axis = 0; axis < type.rank(); ++axis) {
      const AxisRole role = type.role(axis);
      const bool is_fact =
          role == AxisRole::kHead || role == AxisRole::kHeadSize || (is_cache && role == AxisRole::kChannel);
      if (!is_fact || type.dim(axis).is_constant()) continue;
      return Error{ErrorCode::kInvalidGraph,
                   "ggml " + std::string(node.op) + " '" + std::string(node.name) + "'",
                   "a constant extent of axis " + std::to_string(axis) + ", " + std::string(name(role)),
                   type.dim(axis).to_string() + " in " + type.to_string(),
                   "declare heads and head size as the model has them"};
    }
  }
  return {};
}

// An error of a shape rule knows the IR's node alone.
Error in_node(const NodeContext& context, Error error) {
  const std::string place = context.invalid("", "").where;
  if (!error.where.starts_with(place)) error.where = place + ": " + error.where;
  return error;
}

Result<std::vector<ir::Value>> translate_node(NodeContext& context, std::span<const TranslatorRow> table) {
  const std::string_view op = context.node().op;
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const TranslatorRow& r) { return r.op == op; });
  if (row == table.end())
    return context.unsupported("an op with a translator", "no translator for " + std::string(op));
  Result<std::vector<ir::Value>> values = row->translate(context);
  if (!values.ok()) return in_node(context, std::move(values).error());
  TENON_RETURN_IF_ERROR(check_ports(context, *values));
  return values;
}

}  // namespace

Result<ir::Model> translate(const decoder::Decoder& decoder, std::span<const TranslatorRow> table) {
  ir::Model model{std::string(decoder.model_name())};
  model.symbols() = decoder.symbols();
  NodeValues values;
  for (size_t index = 0; index < decoder.node_count(); ++index) {
    const decoder::NodeView node = decoder.node(index);
    TENON_RETURN_IF_ERROR(check_heads(node));
    if (node.op == "NONE") {
      TENON_ASSIGN(const ir::Value leaf, translate_leaf(node, model));
      values.push_back({leaf});
      continue;
    }
    NodeContext context(decoder, node, model, values);
    TENON_ASSIGN(std::vector<ir::Value> ports, translate_node(context, table));
    values.push_back(std::move(ports));
  }
  for (const decoder::Output& output : decoder.outputs()) {
    if (output.value.node >= values.size() || output.value.port < 0 ||
        static_cast<size_t>(output.value.port) >= values[output.value.node].size()) {
      return Error{ErrorCode::kInvalidGraph, "output '" + output.name + "'", "a port of a node", "none such",
                   ""};
    }
    const ir::Node* const input = model.find_parameter(output.name);
    const bool is_state =
        input && input->attributes_as<ir::ParameterAttributes>().role == ir::ParameterRole::kRecurrentState;
    model.add_result(values[output.value.node][static_cast<size_t>(output.value.port)], output.name,
                     is_state ? output.name : "");
  }
  return model;
}

}  // namespace tenon::translate
