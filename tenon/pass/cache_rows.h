// What the passes that consume SetRows have in common.
#pragma once

#include <string>

#include "tenon/ir/model.h"

namespace tenon::pass {

// Rows in a cache's layout: extents of `cache`, but for the position axis, which takes what is left. The rows
// themselves where they have that layout already; else through a Reshape, named after `prefix`. Rows lie
// token by token: an axis before `axis` that is neither 1 nor the rows' own is an error.
Result<ir::Value> rows_in_layout(ir::Model& model, ir::Value rows, const TensorType& cache, int axis,
                                 const std::string& prefix);

// Whether rows_in_layout will find such rows.
Status check_rows_layout(const TensorType& rows, const TensorType& cache, int axis,
                         const std::string& prefix);

// A node's name without the op that its translator appended.
std::string base_name(const ir::Node& node);

}  // namespace tenon::pass
