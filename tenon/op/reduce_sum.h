#pragma once

#include "tenon/op/reduction_rule.h"

namespace tenon::op {

// ReduceSum(x) of a plain float type, with ReductionAttributes.
const OpDefinition& reduce_sum_op();

}  // namespace tenon::op
