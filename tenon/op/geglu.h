// GEGLU: gelu(gate) * up, with ggml's GELU (op/gelu.h, kTanh).
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// GeGLU(gate, up) of one float type and shape.
const OpDefinition& geglu_op();

}  // namespace tenon::op
