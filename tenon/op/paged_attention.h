// Attention of tokens of several sequences over caches that lie in blocks.
#pragma once

#include "tenon/op/op.h"

namespace tenon::op {

struct PagedAttentionAttributes : ir::AttributesOf<PagedAttentionAttributes> {
  double scale = 1;    // multiplies q · k
  int64_t window = 0;  // a query sees the keys of the last `window` positions, its own among them; 0: all
  double softcap = 0;  // > 0: scores become softcap * tanh(score / softcap)
  bool writes =
      true;  // false: another layer's PagedAttention has written this step's rows; k, v are not read

  template <class V>
  void visit_fields(V& v) {
    v.field("scale", scale);
    v.field("window", window);
    v.field("softcap", softcap);
    v.field("writes", writes);
  }
};

// PagedAttention(q [T,H*D], k [T,G*D], v [T,G*Dv], key_cache [blocks,G,S,D], value_cache [blocks,G,S,Dv],
// past_lens [N], subsequence_begins [N+1], block_indices [n], block_indices_begins [N+1],
// max_context_len [], optional sinks [H]) -> f32 [T,H*Dv], as OpenVINO's. Indices are i32; caches f32 or f16.
//
// Tokens subsequence_begins[s] … [s+1]-1 belong to sequence s and stand at positions past_lens[s], … Position
// p of s lies in block block_indices[block_indices_begins[s] + p / S], row p % S. First the rows k, v of all
// tokens go to their places, in the caller's own memory; then each query sees the keys of its sequence up to
// its own position. A sink takes part in its head's softmax as one more score without a value. Errors: a
// block index or a count that is outside of what is bound.
const OpDefinition& paged_attention_op();

// Its inputs.
enum PagedInput : int {
  kPagedQ,
  kPagedK,
  kPagedV,
  kPagedKeyCache,
  kPagedValueCache,
  kPagedPastLengths,
  kPagedSequenceBegins,
  kPagedBlockIndices,
  kPagedBlockBegins,
  kPagedMaxContext,
  kPagedSinks
};

// How the tokens of a call lie in blocks; checked, so that kernels can rely on it.
struct PagedTables {
  const int32_t* past_lengths = nullptr;
  const int32_t* sequence_begins = nullptr;
  const int32_t* block_indices = nullptr;
  const int32_t* block_begins = nullptr;
  int64_t sequences = 0;
  int64_t block_size = 0;

  int64_t tokens_of(int64_t sequence) const {
    return sequence_begins[sequence + 1] - sequence_begins[sequence];
  }
  int64_t block_of(int64_t sequence, int64_t position) const {
    return block_indices[block_begins[sequence] + position / block_size];
  }
};

// The tables among the inputs of one call, or what is wrong with them.
Result<PagedTables> paged_tables(std::span<const TensorRef> inputs);

}  // namespace tenon::op
