// Mamba-2's token mixer (arXiv 2405.21060).
#pragma once

#include "tenon/arch/blocks/ssm_hyperparameters.h"
#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// x [1, 1, T, F] -> [1, 1, T, F]: ssm_in gives a gate, the convolution's channels and the heads' steps; the
// convolution with silu gives x, B and C of the scan, whose memory is the recurrent state cache_s_l<layer>
// f32 [1, heads, head size, state]; ssm_d lets x past it; then the gate, a norm over each group, ssm_out.
Result<decoder::Edge> mamba2_mixer(Transformer& model, decoder::Edge x, int64_t layer,
                                   const SsmHyperparameters& ssm);

}  // namespace tenon::arch
