// The ids of chosen experts, as the ops of the catalogue read them.
#pragma once

#include "tenon/translate/node_context.h"

namespace tenon::translate {

// [1, 1, T, U] -> [1, T, U]: without the axis that ggml's ids have in front of those of x [1, T, U, K]. The
// same value for all nodes that read the same ids, so that products by them can become one step.
Result<ir::Value> expert_ids(NodeContext& context, ir::Value ids);

}  // namespace tenon::translate
