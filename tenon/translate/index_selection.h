// What ARGSORT and TOP_K share beside op::make_topk_indices: k as a scalar of the graph.
#pragma once

#include "tenon/translate/node_context.h"

namespace tenon::translate {

// i64 scalar.
ir::Value scalar(NodeContext& context, int64_t value);
// The extent of one axis: a constant where it is known, else measured from exactly that port when the graph
// runs.
Result<ir::Value> extent_as_scalar(NodeContext& context, ir::Value value, int64_t axis);

}  // namespace tenon::translate
