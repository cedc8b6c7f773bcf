#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct RangeAttributes : ir::AttributesOf<RangeAttributes> {
  ElementType element = ElementType::kI64;
  bool tokens = false;  // whether the axis counts tokens

  template <class V>
  void visit_fields(V& v) {
    v.field("element", element);
    v.field("tokens", tokens);
  }
};

// Range(start, stop) -> [stop - start]: start, start + 1, … in i32 or i64. Both are one integer each, of
// which conversion must know the extents that they are (ir::value_as_dims).
const OpDefinition& range_op();

}  // namespace tenon::op
