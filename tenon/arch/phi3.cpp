#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"

namespace tenon::arch {

// Phi 3, 3.5 and 4 without experts: Q, K and V are one tensor, gate and up another, and RoPE has factors for
// short and for long contexts. Files name a window; llama.cpp sees all positions, and so does this. Where
// llama.cpp scales Q, the scale is attention's own here.
Result<std::unique_ptr<decoder::Decoder>> build_phi3(std::shared_ptr<const gguf::File> file,
                                                     const BuildOptions& options) {
  return build_pre_norm_decoder(std::move(file), options,
                                {.attention = {.rope_mode = decoder::RopeMode::kNeox},
                                 .feed_forward_scale = ScalePlace::kNowhere,
                                 .fused_gate_up = true});
}

}  // namespace tenon::arch
