// The gated delta-net that Qwen3-Next and Qwen3.5 have in the place of attention (arXiv 2412.06464).
#pragma once

#include "tenon/arch/blocks/ssm_hyperparameters.h"
#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// x [1, 1, T, F] -> [1, 1, T, F]: attn_qkv through the convolution and silu gives q, k and v, of which q and
// k become vectors of length 1; ssm_beta and ssm_alpha give each head how much it learns and forgets; the
// memory is the recurrent state cache_s_l<layer> f32 [1, heads, head size, head size]; then a norm over each
// head, times silu of attn_gate, and ssm_out. Errors: kUnsupported, by key, for keys and values of different
// sizes.
Result<decoder::Edge> delta_net_mixer(Transformer& model, decoder::Edge x, int64_t layer,
                                      const SsmHyperparameters& ssm);

}  // namespace tenon::arch
