// Leaves of a decoder: weights become Constants that share the source's bytes, everything else a Parameter.
#pragma once

#include "tenon/decoder/decoder.h"
#include "tenon/ir/model.h"

namespace tenon::translate {

// Errors name the leaf: no kind given, not exactly one output, a weight whose bytes are not those of its
// type.
Result<ir::Value> translate_leaf(const decoder::NodeView& leaf, ir::Model& model);

}  // namespace tenon::translate
