// Families whose layers see a window of the latest tokens, or all of them, by turns.
#pragma once

#include "tenon/arch/blocks/architecture_keys.h"
#include "tenon/arch/blocks/hyperparameters.h"

namespace tenon::arch {

// Whether each layer has a window, by attention.sliding_window_pattern: a flag for each layer, or a period n
// of which the last layer alone has none (llama_hparams::set_swa_pattern; 0: all layers have one).
// `period` is the family's own, for a file without the key. Errors name the key.
Result<std::vector<bool>> read_window_pattern(const ArchitectureKeys& keys, int64_t layers, int64_t period);

// Gives the layers of read_window_pattern() the window of attention.sliding_window and a RoPE of their own:
// base rope.freq_base_swa, or `base` where the file has none, and no linear scaling. A file without a window,
// or with one of 0, leaves all layers as they are.
Status read_windows(const ArchitectureKeys& keys, int64_t period, double base, Hyperparameters& out);

}  // namespace tenon::arch
