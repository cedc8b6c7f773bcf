#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct SoftmaxAttributes : ir::AttributesOf<SoftmaxAttributes> {
  int64_t axis = -1;

  template <class V>
  void visit_fields(V& v) {
    v.field("axis", axis);
  }
};

// Softmax(x) of a plain float type. A row of -inf alone gives NaN, as in ggml and OpenVINO.
const OpDefinition& softmax_op();

}  // namespace tenon::op
