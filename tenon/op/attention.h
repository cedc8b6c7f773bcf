// Scaled dot-product attention with grouped heads, whose mask is structure over positions.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

// Kernels take so many keys at once, and none of them across a ring's end.
inline constexpr int64_t kRingRows = 16;

struct AttentionAttributes : ir::AttributesOf<AttentionAttributes> {
  double scale = 1;  // multiplies q · k
  ir::MaskKind mask = ir::MaskKind::kExplicit;
  // What an explicit mask is, padding aside, where that is known: for passes that need a structure.
  ir::MaskKind structure = ir::MaskKind::kExplicit;
  int64_t window = 0;  // kWindow: a query sees the keys of the last `window` positions, its own among them
  // kWindow: the keys lie in a ring of so many rows, a multiple of kRingRows; 0: they do not.
  int64_t ring = 0;

  template <class V>
  void visit_fields(V& v) {
    v.field("scale", scale);
    v.enumeration("mask", mask, ir::kMaskKindNames);
    v.enumeration("structure", structure, ir::kMaskKindNames);
    v.field("window", window);
    v.field("ring", ring);
  }
};

// Attention(q [B,H,T,D], k [B,G,KV,D], v [B,G,KV,Dv], optional mask, optional positions, optional sinks)
// -> f32 [B,T,H,Dv].
// H is a multiple of G; query head h reads key head h / (H / G). q, k, v are f32 or f16. Key j has position
// j; of a ring that of the latest position p up to the queries' last one that has p % ring = j. The mask (f32
// or f16, added to the scaled scores, broadcastable to [B,H,T,KV]) is read when its kind is explicit and
// required then; hosts that take a dense mask find it there for the other kinds. positions (i32 or i64, T
// elements or B * T) are those of the queries, required by kCausal and kWindow and not read by the other
// kinds. sinks [H] (f32): what e^sink adds to the sum of a head's weights, as a key without a value would. A
// query that sees no key gives zeros.
const OpDefinition& attention_op();

// Its inputs.
enum AttentionInput : int {
  kAttentionQ,
  kAttentionK,
  kAttentionV,
  kAttentionMask,
  kAttentionPositions,
  kAttentionSinks
};

}  // namespace tenon::op
