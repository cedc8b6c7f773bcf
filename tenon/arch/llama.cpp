#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"

namespace tenon::arch {

// Llama, and what is stored under its name: Mistral, SmolLM2, Llama 3.x with its rope_freqs.
Result<std::unique_ptr<decoder::Decoder>> build_llama(std::shared_ptr<const gguf::File> file,
                                                      const BuildOptions& options) {
  return build_pre_norm_decoder(std::move(file), options,
                                {{decoder::RopeMode::kNormal}, ScalePlace::kAfterBias});
}

}  // namespace tenon::arch
