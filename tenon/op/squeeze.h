#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct SqueezeAttributes : ir::AttributesOf<SqueezeAttributes> {
  std::vector<int64_t> axes;  // each of extent 1; negative ones count from the end

  template <class V>
  void visit_fields(V& v) {
    v.field("axes", axes);
  }
};

// Squeeze(x): x without those axes.
const OpDefinition& squeeze_op();

}  // namespace tenon::op
