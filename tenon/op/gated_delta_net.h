// The gated delta rule (arXiv 2412.06464), token by token.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// GatedDeltaNet(q [B, T, G, D], k [B, T, G, D], v [B, T, H, D], gate [B, T, H, 1 or D], beta [B, T, H, 1],
// state [B, H, D, D]) -> y [B, T, H, D], the state after the last token. All f32; H is a multiple of G, and
// head h reads head h mod G of q and k. state[h, j, i] holds what value element j knows of key element i. For
// each token:
//   state[h, j, i] = state[h, j, i] * exp(gate[h, i])
//   delta[j]       = (v[h, j] - sum over i of state[h, j, i] * k[i]) * beta[h]
//   state[h, j, i] = state[h, j, i] + delta[j] * k[i]
//   y[h, j]        = sum over i of state[h, j, i] * q[i] / sqrt(D)
// ggml's GATED_DELTA_NET, whose two results lie behind each other in one tensor.
const OpDefinition& gated_delta_net_op();

}  // namespace tenon::op
