// The numbers that describe a transformer, read from a file's metadata and checked, so that building the
// graph can rely on them.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/base/result.h"
#include "tenon/decoder/attributes.h"
#include "tenon/gguf/file.h"

namespace tenon::arch {

struct Hyperparameters {
  std::string architecture;      // also the prefix of the keys below
  int64_t layers = 0;            // block_count
  int64_t embedding = 0;         // embedding_length
  int64_t heads = 0;             // attention.head_count
  int64_t kv_heads = 0;          // attention.head_count_kv, or heads; divides heads
  int64_t head_size = 0;         // attention.key_length = attention.value_length, or embedding / heads
  int64_t feed_forward = 0;      // feed_forward_length
  int64_t context = 0;           // context_length, tokens that the model was trained for
  int64_t vocabulary = 0;        // tokens that the file names; 0 where it names none
  double rms_epsilon = 0;        // attention.layer_norm_rms_epsilon
  decoder::RopeAttributes rope;  // the mode is the architecture's own
};

// Errors name the key: kInvalidFile for what is absent, of a wrong type, out of range or contradictory,
// kUnsupported for experts, bidirectional attention, layers that differ, and kinds of RoPE that this build
// does not have.
Result<Hyperparameters> read_hyperparameters(const gguf::File& file);

}  // namespace tenon::arch
