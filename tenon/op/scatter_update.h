#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct ScatterUpdateAttributes : ir::AttributesOf<ScatterUpdateAttributes> {
  int64_t axis = 0;

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
  }
};

// ScatterUpdate(data, indices, updates) -> data, with updates' entries along `axis` written at the given
// indices. Indices are of any rank with n elements; updates are data with extent n on `axis`. The last of
// equal indices stays; an index outside of [0, extent) is an error. The output may be data's own memory.
const OpDefinition& scatter_update_op();

}  // namespace tenon::op
