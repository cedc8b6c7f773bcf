#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ConvertAttributes : ir::AttributesOf<ConvertAttributes> {
  ElementType to = ElementType::kF32;  // a plain type

  template <class V>
  void visit_fields(V& v) {
    v.field("to", to);
  }
};

// Convert(x) -> the same values in another type: floats round to nearest even, float to integer truncates and
// saturates, block types decode.
const OpDefinition& convert_op();

}  // namespace tenon::op
