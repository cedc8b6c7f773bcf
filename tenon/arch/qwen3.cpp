#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"

namespace tenon::arch {

// Qwen3: a norm over each head of Q and K before RoPE. The head that ranks documents is not run.
Result<std::unique_ptr<decoder::Decoder>> build_qwen3(std::shared_ptr<const gguf::File> file,
                                                      const BuildOptions& options) {
  return build_pre_norm_decoder(std::move(file), options,
                                {.attention = {decoder::RopeMode::kNeox, /*head_norms=*/true},
                                 .feed_forward_scale = ScalePlace::kBeforeBias,
                                 .unused_tensors = {"cls.output.weight"}});
}

}  // namespace tenon::arch
