#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/pre_norm_decoder.h"
#include "tenon/arch/blocks/windows.h"

namespace tenon::arch {

namespace {

constexpr int64_t kWindowPeriod = 2;

// Every other layer has a window. All layers are scaled alike; those with a window may have a base of their
// own.
Result<Hyperparameters> read(const gguf::File& file) {
  TENON_ASSIGN(Hyperparameters h, read_hyperparameters(file, FeedForwardKind::kExperts));
  const ArchitectureKeys keys(file.metadata(), h.architecture);
  TENON_ASSIGN(const int64_t window, keys.count("attention.sliding_window"));
  TENON_ASSIGN(const double base, keys.number("rope.freq_base_swa", 1, h.rope.freq_base));
  TENON_ASSIGN(const std::vector<bool> windowed, read_window_pattern(keys, h.layers, kWindowPeriod));
  for (size_t layer = 0; layer < windowed.size(); ++layer) {
    if (!windowed[layer]) continue;
    h.attention[layer].window = window;
    h.attention[layer].rope.freq_base = base;
  }
  return h;
}

}  // namespace

// OpenAI's open models: sinks in attention, windows by turns, experts with biases that the router's logits
// choose, the norm before them stored as the one after attention.
Result<std::unique_ptr<decoder::Decoder>> build_gpt_oss(std::shared_ptr<const gguf::File> file,
                                                        const BuildOptions& options) {
  TENON_ASSIGN(Hyperparameters hyperparameters, read(*file));
  return build_pre_norm_decoder(
      std::move(file), options,
      {.attention = {.rope_mode = decoder::RopeMode::kNeox, .sinks = true},
       .feed_forward_scale = ScalePlace::kNowhere,
       .experts = ExpertsFamily{Gating::kSoftmaxOfChosen, /*normalised=*/false, ExpertUnit::kSwigluOai},
       .feed_forward_norm = "post_attention_norm"},
      std::move(hyperparameters));
}

}  // namespace tenon::arch
