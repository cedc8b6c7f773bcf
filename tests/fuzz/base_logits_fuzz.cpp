// Arbitrary bytes as a file of base logits: opened and, where that works, every row decoded.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "tenon/engine/base_logits.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tenon::engine;
  const auto base = BaseLogits::parse(std::as_bytes(std::span(data, size)));
  if (!base.ok()) return 0;
  const BaseLogitsShape& shape = base->shape();
  std::vector<float> row(static_cast<size_t>(shape.vocabulary));
  for (int64_t chunk = 0; chunk < shape.chunks; ++chunk) {
    for (int64_t i = 0; i < scored_rows(shape.chunk_tokens); ++i) {
      if (!base->row(chunk, i, row).ok()) continue;
      for (const float value : row) {
        if (!std::isfinite(value)) std::abort();
      }
    }
  }
  for (const int32_t token : base->tokens()) {
    if (token < 0 || token >= shape.vocabulary) std::abort();
  }
  return 0;
}
