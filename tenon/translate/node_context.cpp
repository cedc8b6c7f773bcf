#include "tenon/translate/node_context.h"

#include "tenon/translate/cases.h"

namespace tenon::translate {

NodeContext::NodeContext(const decoder::Decoder& decoder, const decoder::NodeView& node, ir::Model& model,
                         const NodeValues& values)
    : decoder_(decoder),
      node_(node),
      model_(model),
      values_(values),
      builder_(model, std::string(node.name)) {
  for (const decoder::Edge& edge : node.inputs) {
    producers_.push_back(edge.node < values.size() ? decoder.node(edge.node) : decoder::NodeView());
  }
}

Result<ir::Value> NodeContext::value(decoder::Edge edge) const {
  if (edge.node >= values_.size())
    return invalid("an edge from an earlier node", "node " + std::to_string(edge.node));
  const std::vector<ir::Value>& ports = values_[edge.node];
  if (edge.port < 0 || static_cast<size_t>(edge.port) >= ports.size()) {
    return invalid("a port below " + std::to_string(ports.size()) + " of '" +
                       std::string(decoder_.node(edge.node).name) + "'",
                   std::to_string(edge.port));
  }
  return ports[static_cast<size_t>(edge.port)];
}

Result<std::vector<ir::Value>> NodeContext::inputs(int min, int max) const {
  if (max < min) max = min;
  const int count = static_cast<int>(node_.inputs.size());
  if (count < min || count > max) {
    const std::string range = min == max ? "" : " to " + std::to_string(max);
    return invalid(std::to_string(min) + range + " inputs", std::to_string(count));
  }
  std::vector<ir::Value> out;
  for (const decoder::Edge& edge : node_.inputs) {
    TENON_ASSIGN(const ir::Value input, value(edge));
    out.push_back(input);
  }
  return out;
}

Result<TensorType> NodeContext::declared_input(int input) const {
  const auto index = static_cast<size_t>(input);
  if (index >= node_.inputs.size()) return invalid("an input " + std::to_string(input), "none");
  const std::vector<TensorType>& ports = producers_[index].outputs;
  const auto port = static_cast<size_t>(node_.inputs[index].port);
  if (port >= ports.size()) return invalid("a declared type of input " + std::to_string(input), "none");
  return ports[port];
}

Result<TensorType> NodeContext::declared_output(int port) const {
  const auto index = static_cast<size_t>(port);
  if (index >= node_.outputs.size())
    return invalid("a declared type of port " + std::to_string(port), "none");
  return node_.outputs[index];
}

const decoder::Leaf* NodeContext::input_leaf(int input) const {
  const auto index = static_cast<size_t>(input);
  if (index >= producers_.size() || std::holds_alternative<std::monostate>(producers_[index].leaf))
    return nullptr;
  return &producers_[index].leaf;
}

Status NodeContext::check_heads(int64_t heads, int64_t head_size) const {
  if (heads > 0 && head_size > 0) return {};
  return invalid("a constant head count and head size",
                 std::to_string(heads) + " heads of " + std::to_string(head_size));
}

Error NodeContext::invalid(std::string wanted, std::string found) const {
  return {ErrorCode::kInvalidGraph, "ggml " + std::string(node_.op) + " '" + std::string(node_.name) + "'",
          std::move(wanted), std::move(found), ""};
}

Error NodeContext::unsupported(std::string wanted, std::string found) const {
  Error error = invalid(std::move(wanted), std::move(found));
  error.code = ErrorCode::kUnsupported;
  return error;
}

Error NodeContext::unknown_case() const {
  return unsupported("a known case of the op", "case " + case_of(node_.attributes));
}

}  // namespace tenon::translate
