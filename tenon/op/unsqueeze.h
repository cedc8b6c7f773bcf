#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct UnsqueezeAttributes : ir::AttributesOf<UnsqueezeAttributes> {
  std::vector<int64_t> axes;  // of the output; negative ones count from its end

  template <class V>
  void visit_fields(V& v) {
    v.field("axes", axes);
  }
};

// Unsqueeze(x): new axes of extent 1, without role.
const OpDefinition& unsqueeze_op();

}  // namespace tenon::op
