// One operation: its schema, its typed attributes, the values it reads and the types of its output ports.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/ir/schema.h"
#include "tenon/ir/value.h"

namespace tenon::ir {

class Node {
 public:
  std::string_view op() const { return schema_->name; }
  const OpSchema& schema() const { return *schema_; }
  // Unique in its model.
  const std::string& name() const { return name_; }

  int input_count() const { return static_cast<int>(inputs_.size()); }
  Value input(int index) const { return inputs_.at(static_cast<size_t>(index)); }
  std::span<const Value> inputs() const { return inputs_; }

  int port_count() const { return static_cast<int>(ports_.size()); }
  Value output(int port) { return Value(*this, port); }
  const TensorType& port_type(int port) const { return ports_.at(static_cast<size_t>(port)).type; }
  std::span<const Use> port_uses(int port) const { return ports_.at(static_cast<size_t>(port)).uses; }

  bool is(std::string_view op_name) const { return op() == op_name; }
  const Attributes& attributes() const { return *attributes_; }
  std::shared_ptr<const Attributes> shared_attributes() const { return attributes_; }
  template <class A>
  const A& attributes_as() const {
    return dynamic_cast<const A&>(*attributes_);
  }

 private:
  friend class Model;
  struct Port {
    TensorType type;
    std::vector<Use> uses;
  };
  const OpSchema* schema_ = nullptr;
  std::string name_;
  std::shared_ptr<const Attributes> attributes_;
  std::vector<Value> inputs_;
  std::vector<Port> ports_;
};

}  // namespace tenon::ir
