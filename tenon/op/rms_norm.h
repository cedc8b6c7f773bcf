#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct RmsNormAttributes : ir::AttributesOf<RmsNormAttributes> {
  double epsilon = 1e-5;

  template <class V>
  void visit_fields(V& v) {
    v.field("epsilon", epsilon);
  }
};

// RMSNorm(x f32 [..., F], optional weight f32 [F]) = x / sqrt(mean(x^2 over the last axis) + epsilon) *
// weight.
const OpDefinition& rms_norm_op();

}  // namespace tenon::op
