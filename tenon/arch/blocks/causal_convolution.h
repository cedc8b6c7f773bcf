// The short convolution over the tokens in front of a recurrent layer.
#pragma once

#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// x [1, 1, T, C] -> [1, 1, T, C], each channel by its `kernel` taps in the layer's ssm_conv1d. The inputs of
// the last kernel - 1 tokens are the recurrent state cache_r_l<layer> f32 [1, 1, C, kernel - 1].
Result<decoder::Edge> causal_convolution(Transformer& model, decoder::Edge x, int64_t layer, int64_t kernel);

}  // namespace tenon::arch
