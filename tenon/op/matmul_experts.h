// The product that a mixture of experts takes: each row of x by the matrices of the experts chosen for it.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// MatMulExperts(x [.., T, S, K], w [E, N, K], ids [.., T, U]) -> f32 [.., T, U, N]
//   y[t, u, n] = sum over k of x[t, u, k] * w[ids[t, u], n, k]
// S is U, or 1 where all experts of a token read the same row. w is of any float or block type. An id outside
// of [0, E) is an error.
const OpDefinition& matmul_experts_op();

}  // namespace tenon::op
