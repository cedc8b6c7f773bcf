// A llama file as a live graph has it: flat caches read through views that split heads, heads before tokens
// under attention. It stands in for the ggml host.
#pragma once

#include "tenon/gguf/file.h"
#include "tests/fixtures/model.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

struct LiveLlamaOptions {
  decoder::RopeMode rope = decoder::RopeMode::kNormal;
  std::string value_cache = "cache_v_l";  // the name before the layer's number
};

// Of a dense file that `spec` describes; `file` must outlive the decoder.
test::HandDecoder live_llama(const gguf::File& file, const fixtures::ModelSpec& spec,
                             const LiveLlamaOptions& options = {});

}  // namespace tenon::contracts
