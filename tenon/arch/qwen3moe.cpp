#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"

namespace tenon::arch {

// Qwen3 with experts: Qwen3's attention; the weights of the chosen experts add up to 1.
Result<std::unique_ptr<decoder::Decoder>> build_qwen3moe(std::shared_ptr<const gguf::File> file,
                                                         const BuildOptions& options) {
  return build_pre_norm_decoder(std::move(file), options,
                                {.attention = {decoder::RopeMode::kNeox, /*head_norms=*/true},
                                 .feed_forward_scale = ScalePlace::kBeforeBias,
                                 .experts = ExpertsFamily{Gating::kSoftmax, /*normalised=*/true}});
}

}  // namespace tenon::arch
