// The gated activation of most decoders' feed-forward blocks.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// SwiGLU(gate, up) = gate * sigmoid(gate) * up; both of one float type and one shape.
const OpDefinition& swiglu_op();

}  // namespace tenon::op
