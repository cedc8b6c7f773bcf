// The fixed start of a GGUF file: magic, version, number of tensors, number of keys.
#pragma once

#include <cstdint>

#include "tenon/gguf/cursor.h"

namespace tenon::gguf {

struct Header {
  uint32_t version = 0;
  uint64_t tensor_count = 0;
  uint64_t key_count = 0;
};

// Both counts are bounded by what the rest of the file can hold at most.
Result<Header> read_header(Cursor& cursor);

}  // namespace tenon::gguf
