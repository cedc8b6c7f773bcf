#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ConcatAttributes : ir::AttributesOf<ConcatAttributes> {
  int64_t axis = 0;

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
  }
};

// Concat(a, b, ...) of one plain element type. Roles are joined as elementwise ops do; along `axis`,
// positions followed by tokens are positions.
const OpDefinition& concat_op();

}  // namespace tenon::op
