#pragma once

#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

struct PagedOptions {
  int64_t block_size = 32;  // rows of a block
};

// The form that serves many sequences at once, of a model that adapt_to_genai has adapted: tokens of all
// sequences lie one after the other,
//
//   input_ids, position_ids i64 [T]; past_lens [N], subsequence_begins [N+1], block_indices [n],
//   block_indices_begins [N+1], max_context_len [], i32; key_cache.i, value_cache.i [blocks,G,S,D]
//   -> logits [T,1,V], of every token
//
// Where the caller chooses rows (GenaiOptions), inp_out_ids [1,1,1,R] stands beside them: logits [R,1,V].
//
// Every Attention over a cache becomes a PagedAttention, and the variables, beam_idx and attention_mask go;
// the caches are the caller's. Layers that read another layer's cache share its blocks. Recurrent states stay
// variables: such a model runs one sequence, keeps its tokens behind an axis of 1 ([1,T]) and gives the
// logits of the last one, [1,1,V].
//
// Errors: a model that is not adapted, a mask that is neither causal nor a causal window, an Attention whose
// keys or values are no cache. Nothing is changed then.
ir::Pass sdpa_to_paged(PagedOptions options = {});

}  // namespace tenon::pass
