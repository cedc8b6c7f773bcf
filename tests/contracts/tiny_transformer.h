// A transformer of one layer, by hand: real projections, grouped heads, caches, a residual, two tables that
// are looked up by tokens, and a choice of the rows whose logits are wanted.
#pragma once

#include <array>

#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

struct TinyTransformer {
  static constexpr int64_t kVocabulary = 9, kWidth = 16, kHeads = 4, kKvHeads = 2, kHeadSize = 8;

  decoder::MaskStructure mask = decoder::MaskStructure::kCausal;
  int64_t window = 0;                           // of a window mask
  bool second_table = true;                     // added to the first, under an unrelated name
  ElementType second_type = ElementType::kF16;  // of the second table
  bool show_embedding = false;                  // returns the sum of the tables as "embedding"

  // Inputs inp_tokens, inp_pos, inp_out_ids, inp_kv_idx, self_kq_mask (the first nodes, in this order),
  // cache_k_l0 and cache_v_l0 f32 [1,KV,2,8], as the native builder has them; returns logits f32 [1,1,R,9]
  // and the caches.
  test::HandDecoder decoder() const;
};

// Element (row, column) of the tables: small, exact in f16, and no two rows are alike.
double main_table(int64_t row, int64_t column);
double second_table(int64_t row, int64_t column);

}  // namespace tenon::contracts
