// What a variable of the model holds before this run.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ReadValueAttributes : ir::AttributesOf<ReadValueAttributes> {
  std::string variable;  // its id: one ReadValue and one Assign in a model name it
  TensorType type;       // of the variable
  ir::ParameterRole role = ir::ParameterRole::kCache;  // kCache or kRecurrentState
  int64_t layer = -1;

  template <class V>
  void visit_fields(V& v) {
    v.field("variable", variable);
    v.field("type", type);
    v.enumeration("role", role, ir::kParameterRoleNames);
    v.field("layer", layer);
  }
};

// ReadValue(initial) -> the variable. `initial` is its content after a reset: of the same element type and
// rank, and of its constant extents; of a cache the token axis is 0. Never evaluated by a kernel: the plan
// binds the variable's memory.
const OpDefinition& read_value_op();

}  // namespace tenon::op
