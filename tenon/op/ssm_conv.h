// The short causal convolution in front of a state-space or delta-net layer.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// SsmConv(x f32 [B, 1, C, K - 1 + T], weight f32 [C, K]) -> f32 [B, 1, T, C]:
//   y[b, t, c] = sum over k of x[b, c, t + k] * weight[c, k]
// The last axis of x holds the K - 1 inputs before the new tokens, then those of the tokens. ggml's SSM_CONV;
// B and the 1 may trade places, as axes before the channels are copied.
const OpDefinition& ssm_conv_op();

}  // namespace tenon::op
