// Attention over caches that are variables, as sdpa_to_paged sees it.
#pragma once

#include <optional>
#include <string>

#include "tenon/ir/model.h"

namespace tenon::pass {

// One of K and V: Transpose ← Concat(Gather(ReadValue, beam_idx), rows) ─ Assign.
struct CachedOperand {
  std::string variable;
  TensorType type;  // of the variable, [B,P,G,D]
  ir::Value rows;   // this step's, [B,T,G,D]
};

struct CachedAttention {
  ir::Node* node = nullptr;
  ir::Value q;  // [B,T,H,D]
  CachedOperand k, v;
  std::optional<ir::Value> sinks;
};

// `attention` as above, or what is missing.
Result<CachedAttention> match_cached_attention(ir::Node& attention);

}  // namespace tenon::pass
