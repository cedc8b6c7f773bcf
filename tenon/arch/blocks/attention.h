// Causal self-attention over cached keys and values.
#pragma once

#include <optional>

#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// What differs from family to family.
struct AttentionFamily {
  decoder::RopeMode rope_mode = decoder::RopeMode::kNormal;
  bool head_norms = false;           // attn_q_norm and attn_k_norm [D] over each head, before RoPE
  std::optional<double> scale = {};  // multiplies q · k; 1 / sqrt(head size) where it is not given
  bool value_norms = false;          // each head of V is divided by its rms
  bool keys_as_values = false;       // a layer without attn_v takes its values from attn_k
  bool sinks = false;                // attn_sinks [heads], each a weight of its head that no value gets
  bool output_gate = false;          // attn_q gives each head a gate behind its query: see below
};

// x [1, 1, T, F] -> [1, 1, T, F]. Projections attn_q, attn_k and attn_v, or attn_qkv for all three, and
// attn_output of the layer, each with a bias where the file has one; RoPE on Q and K, its frequencies
// divided, in layers without a window, by rope_freqs.weight where the file has that, or by
// rope_factors_long.weight or rope_factors_short.weight, as the context is longer than the original one or
// not; rows written to cache_k_l<layer> and cache_v_l<layer>, unless the layer reads another's. With an
// output gate each head's result is multiplied by the gate's sigmoid.
Result<decoder::Edge> self_attention(Transformer& model, decoder::Edge x, int64_t layer,
                                     const AttentionFamily& family);

}  // namespace tenon::arch
