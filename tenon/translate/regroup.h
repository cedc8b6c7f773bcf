// Regrouping of axes, shared by RESHAPE, VIEW and CONT.
#pragma once

#include "tenon/translate/node_context.h"

namespace tenon::translate {

// `x` with its axes grouped as `attributes` and the declared output say. Extents that stay where they are,
// are copied and not written down, so that the same graph serves [1, 1, T, F] and [T, 1, 1, F].
Result<ir::Value> regroup(NodeContext& context, ir::Value x, const decoder::ReshapeAttributes& attributes,
                          const TensorType& declared);

}  // namespace tenon::translate
