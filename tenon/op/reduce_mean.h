#pragma once

#include "tenon/op/reduction_rule.h"

namespace tenon::op {

// ReduceMean(x) of a plain float type, with ReductionAttributes.
const OpDefinition& reduce_mean_op();

}  // namespace tenon::op
