#include "tenon/ir/value.h"

#include <stdexcept>

#include "tenon/ir/node.h"

namespace tenon::ir {

Value::Value(Node& node, int port) : node_(&node), port_(port) {
  if (port < 0 || port >= node.port_count()) {
    throw std::out_of_range("[Value] " + std::string(node.op()) + " '" + node.name() + "' has " +
                            std::to_string(node.port_count()) + " ports, not port " + std::to_string(port));
  }
}

Node& Value::node() const {
  if (!node_) throw std::logic_error("[Value::node] an empty value has no producer");
  return *node_;
}

const TensorType& Value::type() const { return node().port_type(port_); }

std::span<const Use> Value::uses() const { return node().port_uses(port_); }

std::string Value::describe() const {
  return std::string(node().op()) + " %" + node().name() + ":" + std::to_string(port_) + " " +
         type().to_string();
}

}  // namespace tenon::ir
