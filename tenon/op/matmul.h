#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct MatMulAttributes : ir::AttributesOf<MatMulAttributes> {
  bool transpose_b = false;

  template <class V>
  void visit_fields(V& v) {
    v.field("transpose_b", transpose_b);
  }
};

// MatMul(a [..., M, K], b [..., K, N]) -> f32 [..., M, N]; with transpose_b, b is [..., N, K]. Leading axes
// broadcast. a is a plain float type, b any float type; a block type needs transpose_b, for blocks run along
// K. Roles: leading axes and M as in a, N as in b; a matrix's N without role is kChannel.
const OpDefinition& matmul_op();

}  // namespace tenon::op
