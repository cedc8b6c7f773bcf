#include "tenon/arch/blocks/windows.h"

namespace tenon::arch {

namespace {

constexpr const char* kPattern = "attention.sliding_window_pattern";

}  // namespace

Result<std::vector<bool>> read_window_pattern(const ArchitectureKeys& keys, int64_t layers, int64_t period) {
  if (keys.is_array(kPattern)) return keys.layer_flags(kPattern, layers);
  if (keys.contains(kPattern)) {
    TENON_ASSIGN(period, keys.count_or_zero(kPattern));
  }
  std::vector<bool> out(static_cast<size_t>(layers));
  for (int64_t layer = 0; layer < layers; ++layer) {
    out[static_cast<size_t>(layer)] = period == 0 || layer % period < period - 1;
  }
  return out;
}

Status read_windows(const ArchitectureKeys& keys, int64_t period, double base, Hyperparameters& out) {
  TENON_ASSIGN(const int64_t window, keys.count_or_zero("attention.sliding_window"));
  if (window == 0) return {};
  TENON_ASSIGN(const std::vector<bool> windowed, read_window_pattern(keys, out.layers, period));
  TENON_ASSIGN(base, keys.number("rope.freq_base_swa", 1, base));
  for (size_t layer = 0; layer < windowed.size(); ++layer) {
    if (!windowed[layer]) continue;
    LayerAttention& attention = out.attention[layer];
    attention.window = window;
    attention.rope.freq_base = base;
    attention.rope.freq_scale = 1;
  }
  return {};
}

}  // namespace tenon::arch
