// The gated feed-forward networks.
#pragma once

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

// x [1, 1, T, F] -> down(silu(gate(x)) ∘ up(x)), by the layer's ffn_gate, ffn_up and ffn_down, each with a
// bias where the file has one.
Result<decoder::Edge> swiglu_feed_forward(Transformer& model, decoder::Edge x, int64_t layer,
                                          ScalePlace scale);

// The same from one tensor: ffn_up holds the rows of the gate, then those of up.
Result<decoder::Edge> fused_swiglu_feed_forward(Transformer& model, decoder::Edge x, int64_t layer,
                                                ScalePlace scale);

// The first with gelu in the place of silu, of `width` units.
Result<decoder::Edge> geglu_feed_forward(Transformer& model, decoder::Edge x, int64_t layer, int64_t width,
                                         ScalePlace scale);

}  // namespace tenon::arch
