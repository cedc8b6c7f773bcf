// The neutral cache write that a consumer's pass replaces. It never runs.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct SetRowsAttributes : ir::AttributesOf<SetRowsAttributes> {
  int64_t axis = 1;  // of the cache, the one that indices count along

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
  }
};

// SetRows(rows, index, cache) -> cache. Rows have the cache's element type and as many elements as index's
// entries of the cache along `axis`; they may be flattened ([B,1,T,G*D] for a cache [B,C,G,D]).
const OpDefinition& set_rows_op();

}  // namespace tenon::op
