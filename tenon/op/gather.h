#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct GatherAttributes : ir::AttributesOf<GatherAttributes> {
  int64_t axis = 0;
  int64_t batch_dims = 0;  // so many leading axes of data and indices go together; at most `axis`

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
    v.field("batch_dims", batch_dims);
  }
};

// Gather(data, indices) -> data's axes before `axis`, the indices' axes after their batch axes, data's axes
// after `axis`. A block type gives f32. Roles come along; a row axis without role of a table [V, F] is
// kChannel. An index outside of [0, extent) is an error.
const OpDefinition& gather_op();

}  // namespace tenon::op
