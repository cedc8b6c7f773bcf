// Adding ops of the catalogue to a model, for decompositions and translators.
#pragma once

#include <memory>
#include <string>

#include "tenon/op/op.h"

namespace tenon::op {

class Builder {
 public:
  // Nodes are named `prefix`/Op.
  Builder(ir::Model& model, std::string prefix) : model_(model), prefix_(std::move(prefix)) {}

  template <class A = ir::NoAttributes>
  Result<ir::Node*> add_node(const OpDefinition& op, std::vector<ir::Value> inputs, A attributes = {}) {
    return insert(op, std::move(inputs), std::make_unique<A>(std::move(attributes)));
  }
  // The output of an op that has one port; throws std::logic_error for another.
  template <class A = ir::NoAttributes>
  Result<ir::Value> add(const OpDefinition& op, std::vector<ir::Value> inputs, A attributes = {}) {
    TENON_ASSIGN(ir::Node * node, add_node(op, std::move(inputs), std::move(attributes)));
    return only_port(*node);
  }

  // The value itself when it is of that type already.
  Result<ir::Value> convert(ir::Value value, ElementType to);

  // Constants that own their elements: axes without roles, values in order.
  ir::Value floats(std::vector<int64_t> extents, const std::vector<double>& values);  // f32
  ir::Value integers(std::vector<int64_t> values);                                    // i64 [count]
  // f32 without axes.
  ir::Value scalar(double value) { return floats({}, {value}); }

 private:
  Result<ir::Node*> insert(const OpDefinition& op, std::vector<ir::Value> inputs,
                           std::unique_ptr<ir::Attributes> attributes);
  static ir::Value only_port(ir::Node& node);

  ir::Model& model_;
  std::string prefix_;
};

}  // namespace tenon::op
