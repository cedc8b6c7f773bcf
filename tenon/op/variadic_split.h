#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct VariadicSplitAttributes : ir::AttributesOf<VariadicSplitAttributes> {
  int64_t axis = 0;

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
  }
};

// VariadicSplit(data, lengths [n]) -> n consecutive parts of data along `axis`. The lengths are known at
// conversion, perhaps as symbols; one may be -1: the rest.
const OpDefinition& variadic_split_op();

}  // namespace tenon::op
