// What a variable of the model holds after this run.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct AssignAttributes : ir::AttributesOf<AssignAttributes> {
  std::string variable;

  template <class V>
  void visit_fields(V& v) {
    v.field("variable", variable);
  }
};

// Assign(value), without outputs: a sink.
const OpDefinition& assign_op();

}  // namespace tenon::op
