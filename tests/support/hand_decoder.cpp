#include "tests/support/hand_decoder.h"

#include <span>
#include <stdexcept>

namespace tenon::test {

using decoder::Edge;

namespace {

TensorType parsed(std::string_view text) {
  Result<TensorType> type = TensorType::parse(text);
  if (!type.ok()) throw std::invalid_argument("[HandDecoder] " + type.error().message());
  return std::move(type).value();
}

}  // namespace

Edge HandDecoder::node(decoder::NodeView view) {
  Node& node = nodes_.emplace_back();
  node.op = view.op;
  node.name = view.name.empty() ? node.op + "." + std::to_string(nodes_.size() - 1) : std::string(view.name);
  node.view = std::move(view);
  node.view.op = node.op;
  node.view.name = node.name;
  return {nodes_.size() - 1, 0};
}

Edge HandDecoder::node(std::string_view op, std::vector<Edge> inputs, std::string_view type,
                       decoder::NodeAttributes attributes) {
  return node({op, "", std::move(attributes), std::move(inputs), {parsed(type)}, {}});
}

Edge HandDecoder::input(std::string name, std::string_view type, decoder::InputRole role,
                        std::string value_symbol) {
  return node({"NONE", name, {}, {}, {parsed(type)}, decoder::Input{role, std::move(value_symbol)}});
}

Edge HandDecoder::weight(std::string name, std::string_view type, std::vector<std::byte> bytes) {
  const auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  return node({"NONE", name, {}, {}, {parsed(type)}, decoder::Weight{owner, owner->data(), owner->size()}});
}

Edge HandDecoder::weight(std::string name, std::string_view type, const std::vector<float>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return weight(std::move(name), type, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Edge HandDecoder::cache(std::string name, std::string_view type, decoder::Cache cache) {
  return node({"NONE", name, {}, {}, {parsed(type)}, cache});
}

Edge HandDecoder::recurrent_state(std::string name, std::string_view type, int64_t layer) {
  return node({"NONE", name, {}, {}, {parsed(type)}, decoder::RecurrentState{layer}});
}

Edge HandDecoder::mask(std::string name, std::string_view type, decoder::Mask mask) {
  return node({"NONE", name, {}, {}, {parsed(type)}, mask});
}

HandDecoder& HandDecoder::output(std::string name, Edge value) {
  outputs_.push_back({std::move(name), value});
  return *this;
}

HandDecoder& HandDecoder::bounds(std::string symbol, Bounds bounds) {
  symbols_.insert_or_assign(std::move(symbol), bounds);
  return *this;
}

}  // namespace tenon::test
