// Reads the key-value section into views; nothing is copied and nothing is sized by an unchecked number.
#pragma once

#include "tenon/gguf/cursor.h"
#include "tenon/gguf/metadata.h"

namespace tenon::gguf {

// `count` records from the cursor on. Refused: empty and doubled keys, unknown types, arrays of arrays,
// lengths beyond the file.
Result<Metadata> read_metadata(Cursor& cursor, uint64_t count);

inline constexpr uint32_t kDefaultAlignment = 32;
inline constexpr uint32_t kMaxAlignment = 1u << 21;  // a huge page; nothing aligns tensors to more

// general.alignment (a u32, a power of two up to kMaxAlignment), or the default.
Result<uint32_t> alignment_of(const Metadata& metadata);

}  // namespace tenon::gguf
