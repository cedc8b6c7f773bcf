// How a file stretches its rotary positions.
#pragma once

#include "tenon/arch/blocks/architecture_keys.h"
#include "tenon/decoder/attributes.h"

namespace tenon::arch {

// `head_size` and `context` are the model's. As llama.cpp does it (llama_model_base::load_hparams and
// llama_context's constructor): without rope.scaling.type the kind is linear; rope.scaling.factor, or the
// older rope.scale_linear, divides the positions; "none" ignores it; "longrope" scales like linear and brings
// factors as tensors (blocks/attention.h); "yarn" blends per frequency and takes
// its own magnitude correction back out of attn_factor. rope.dimension_count turns a part of the head alone.
// Errors: kUnsupported for other kinds.
Result<decoder::RopeAttributes> read_rope(const ArchitectureKeys& keys, int64_t head_size, int64_t context);

}  // namespace tenon::arch
