// Causal self-attention over cached keys and values.
#pragma once

#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// x [1, 1, T, F] -> [1, 1, T, F]. Projections attn_q, attn_k, attn_v and attn_output of the layer, each with
// a bias where the file has one; RoPE on Q and K, its frequencies divided by rope_freqs.weight where the file
// has that; rows written to cache_k_l<layer> and cache_v_l<layer>.
Result<decoder::Edge> self_attention(Transformer& model, decoder::Edge x, int64_t layer,
                                     decoder::RopeMode rope_mode);

}  // namespace tenon::arch
