#pragma once

#include <cstdint>

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

struct InplaceOptions {
  bool stateless_kv = false;  // the target has a kernel that writes a cache in place and reads a view of it
  int64_t context = 0;        // rows of a cache buffer; 0 leaves them open, as the symbol "ctx"
  bool disabled = false;      // --kv-layout copy
  // Tokens of the longest step, for window caches: they become rings. 0: they are left as they are.
  int64_t window_step = 0;
};

// Caches as whole buffers that are bound once and written in place:
//
//   cache [1, ctx, G, D] ─ ScatterUpdate(inp_kv_idx, rows) ┬ Result
//                                                          └ VariadicSplit([attention_size, -1]) ─ port 0 ─
//                                                          readers
//
// so that the shape of an input never depends on how much was cached, and reads see the first attention_size
// rows, those of this step among them. Adds the input attention_size i64 [1], once, which gives the symbol of
// the cached tokens (KV) its value. A flat cache [1, 1, KV, G*D] that is read through views that split it
// into heads gets four axes, and the views go.
//
// A window cache has ring_rows() rows (cache_ring.h) and an attention size of its own, attention_size_swa,
// the rows of its ring that are in use (KV_swa); position p is row p % ring, of which its index, its
// attention size and Attention are told. All window caches become rings, or it is an error: a graph of which
// a part evicts would give wrong numbers.
//
// Decided per cache; the reason is told for each that is left as it is: it is a variable (stateful mode), the
// target cannot, the token dimension is static, the cache is not read or not returned here, several streams,
// a layout that is not one row per token (transposed V), another write, another read, a cache that does not
// append. Nothing is done at all when `disabled`, or when TENON_DISABLE_KV_4D is 1. An input of the name
// attention_size that is already there is an error. Runs before lower_set_rows, which takes what is left.
ir::Pass inplace_kv(InplaceOptions options);

// Whether TENON_DISABLE_KV_4D is 1.
bool inplace_kv_is_switched_off();

}  // namespace tenon::pass
