#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// Transpose(x, order i32 or i64 [rank], a constant): output axis i is input axis order[i], with its role.
const OpDefinition& transpose_op();

}  // namespace tenon::op
