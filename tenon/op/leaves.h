// The ops at a graph's border, whose schemas belong to the IR (tenon/ir/leaves.h). They have no reference:
// whoever runs a graph binds their tensors.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

const OpDefinition& constant_op();
const OpDefinition& parameter_op();
const OpDefinition& result_op();

}  // namespace tenon::op
