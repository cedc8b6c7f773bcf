#pragma once

#include "tenon/ir/model.h"

namespace tenon::pass {

// Whether a node is the Transpose by [0,2,1,3] that stands between a cache [B,KV,G,D] and attention
// [B,G,KV,D].
bool swaps_heads_and_tokens(const ir::Node& node);

}  // namespace tenon::pass
