// The gated linear unit of OpenAI's open models: both halves are clamped, and up is shifted by 1.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct SwigluOaiAttributes : ir::AttributesOf<SwigluOaiAttributes> {
  double alpha = 1.702;  // steepness of the gate
  double limit = 7;      // gate is at most this; up lies within it on both sides

  template <class V>
  void visit_fields(V& v) {
    v.field("alpha", alpha);
    v.field("limit", limit);
  }
};

// SwiGLUOai(gate, up): g * sigmoid(alpha * g) * (u + 1), g = min(gate, limit), u = up within [-limit, limit].
const OpDefinition& swiglu_oai_op();

}  // namespace tenon::op
