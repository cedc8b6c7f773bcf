#pragma once

#include <limits>

#include "tenon/op/op.h"

namespace tenon::op {

struct ClampAttributes : ir::AttributesOf<ClampAttributes> {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();

  template <class V>
  void visit_fields(V& v) {
    v.field("min", min);
    v.field("max", max);
  }
};

// Clamp(x) of a plain float type: min(max(x, min), max), elementwise.
const OpDefinition& clamp_op();

}  // namespace tenon::op
