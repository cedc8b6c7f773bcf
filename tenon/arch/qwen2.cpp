#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"

namespace tenon::arch {

// Qwen2 and Qwen2.5: biases on Q, K and V.
Result<std::unique_ptr<decoder::Decoder>> build_qwen2(std::shared_ptr<const gguf::File> file,
                                                      const BuildOptions& options) {
  return build_pre_norm_decoder(std::move(file), options, {{decoder::RopeMode::kNeox}, ScalePlace::kNowhere});
}

}  // namespace tenon::arch
