#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct BroadcastAttributes : ir::AttributesOf<BroadcastAttributes> {
  std::vector<Dim> target;

  template <class V>
  void visit_fields(V& v) {
    v.field("target", target);
  }
};

// Broadcast(x): x repeated numpy-wise to the target's extents. Axes keep their roles.
const OpDefinition& broadcast_op();

}  // namespace tenon::op
