// A tensor of the graph: an output port of a node. There is no way from a node to "its" tensor: a port is
// always given.
#pragma once

#include <compare>
#include <span>

#include "tenon/type/tensor_type.h"

namespace tenon::ir {

class Node;

// One input slot that reads a value.
struct Use {
  Node* user;
  int input;
  bool operator==(const Use&) const = default;
};

class Value {
 public:
  Value() = default;  // refers to nothing
  Value(Node& node, int port);

  explicit operator bool() const { return node_ != nullptr; }
  Node& node() const;
  int port() const { return port_; }
  const TensorType& type() const;
  std::span<const Use> uses() const;
  // "%name:port f32[…]", for messages.
  std::string describe() const;
  auto operator<=>(const Value&) const = default;

 private:
  Node* node_ = nullptr;
  int port_ = 0;
};

}  // namespace tenon::ir
