#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// ShapeOf(x) -> i64 [rank], the extents of exactly that port.
const OpDefinition& shape_of_op();

// Some extents of a value as data: Gather(ShapeOf(value), dims) -> i64 [count of dims]. Negative dims count
// from the end.
Result<ir::Value> get_dimensions(ir::Model& model, ir::Value value, std::vector<int64_t> dims,
                                 std::string name = "");

}  // namespace tenon::op
