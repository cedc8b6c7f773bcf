// The selective scan of Mamba (arXiv 2312.00752) and Mamba-2 (arXiv 2405.21060), token by token.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// SsmScan(state [B, H, P, N], x [B, T, H, P], dt [1, B, T, H], a [H, 1 or N], b [B, T, G, N],
// c [B, T, G, N]) -> y [B, T, H, P], the state after the last token. All f32; H is a multiple of G, and head
// h reads group h / (H / G). For each token, with d = softplus(dt[h]):
//   state[h, p, n] = state[h, p, n] * exp(d * a[h, n]) + d * x[h, p] * b[g, n]
//   y[h, p]        = sum over n of state[h, p, n] * c[g, n]
// ggml's SSM_SCAN, whose two results lie behind each other in one tensor.
const OpDefinition& ssm_scan_op();

}  // namespace tenon::op
