// Reads and checks the tensor table.
#pragma once

#include <cstdint>
#include <vector>

#include "tenon/gguf/cursor.h"
#include "tenon/gguf/file.h"

namespace tenon::gguf {

struct TensorTable {
  uint64_t data_offset = 0;  // where tensor data starts: the table's end, rounded up to the alignment
  std::vector<TensorInfo> tensors;
};

// `count` records from the cursor on; `bytes` is the whole file. Each tensor must begin where the one before
// it ends, rounded up to the alignment, and end inside the file; padding after the last one may be missing.
Result<TensorTable> read_tensor_table(Cursor& cursor, uint64_t count, uint32_t alignment,
                                      std::span<const std::byte> bytes);

}  // namespace tenon::gguf
