// Comparing, joining and choosing element by element: what masks are built of. Axis roles as in
// elementwise.h.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

const OpDefinition& less_equal_op();   // (a, b), of one plain type -> bool: a <= b
const OpDefinition& less_op();         // (a, b), of one plain type -> bool: a < b
const OpDefinition& logical_and_op();  // (a, b), bool -> bool
const OpDefinition& select_op();       // (condition bool, a, b) -> a where the condition holds, else b

}  // namespace tenon::op
