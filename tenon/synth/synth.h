// Model files with the real keys, shapes and block types of a model and random weights: as fast and as large
// as the real ones, for measurements where the real ones cannot be had.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tenon/base/result.h"
#include "tenon/gguf/writer.h"

namespace tenon::synth {

struct SynthOptions {
  std::string model;                   // one of models()
  std::string type = "Q4_K_M";         // one of file_types()
  std::optional<int64_t> layers = {};  // nullopt: as many as the real model
  uint64_t seed = 0;                   // equal seeds give equal files, whatever the number of threads
  int threads = 1;
};

// A writer that draws the weights when it writes, some MiB at a time. Errors: kInvalidArgument naming the
// option, and what would be right.
Result<gguf::Writer> synthesise(const SynthOptions& options);

}  // namespace tenon::synth
