// The reference of ops that only regroup axes: the elements stay in order.
#pragma once

#include "tenon/op/element_access.h"
#include "tenon/op/op.h"

namespace tenon::op {

Status copy_in_order(const ReferenceCall& call);

}  // namespace tenon::op
