// Ops that work element by element, under numpy broadcasting. Inputs and output have one plain element type.
//
// Axis roles: an axis keeps the role of the input that has its extent (the other one's extent is 1); where
// both have it, the role that is not none or unknown. Two different roles on one axis give kUnknown: the op
// cannot tell which of them its result counts.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

const OpDefinition& add_op();       // a + b
const OpDefinition& subtract_op();  // a - b
const OpDefinition& multiply_op();  // a * b
const OpDefinition& divide_op();    // a / b, floats only

// Floats only.
const OpDefinition& cos_op();
const OpDefinition& erf_op();
const OpDefinition& sigmoid_op();  // 1 / (1 + exp(-x))
const OpDefinition& sin_op();
const OpDefinition& softplus_op();  // ln(1 + exp(x))
const OpDefinition& sqrt_op();
const OpDefinition& swish_op();  // x * sigmoid(x), ggml's SILU
const OpDefinition& tanh_op();

}  // namespace tenon::op
