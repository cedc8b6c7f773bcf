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

// Broadcast(x): x repeated where its extent is 1 and the target's is not; where the target has a 1, x's
// extent stays (OpenVINO's bidirectional mode, so that a target need not name a batch or token extent). Axes
// keep their roles.
const OpDefinition& broadcast_op();

}  // namespace tenon::op
