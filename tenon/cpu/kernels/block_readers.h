// How a kernel sees each block format: chunks of 256 values (one K block, or several short ones, of which a
// row may end with fewer) as vectors of bytes, and the scales of the chunk's groups. With q the bytes, kZero
// the byte that stands for 0 and s, m the scales and minima of a group:  value = s * (q - kZero), or s * q -
// m for a format with minima.
#pragma once

#include <cstdint>

#include "tenon/cpu/kernels/k_block_readers.h"
#include "tenon/cpu/kernels/lookup_readers.h"
#include "tenon/cpu/kernels/small_block_readers.h"
#include "tenon/type/element_type.h"

namespace tenon::cpu {

inline constexpr int64_t kChunk = 256;

// body(reader) for the reader of a block type; false where there is none.
template <class V, class Body>
TENON_INLINE bool with_reader(ElementType type, const Body& body) {
  switch (type) {
    case ElementType::kQ4_0:
      body(ReadQ4_0<V>{});
      return true;
    case ElementType::kQ4_1:
      body(ReadQ4_1<V>{});
      return true;
    case ElementType::kQ5_0:
      body(ReadQ5_0<V>{});
      return true;
    case ElementType::kQ5_1:
      body(ReadQ5_1<V>{});
      return true;
    case ElementType::kQ8_0:
      body(ReadQ8_0<V>{});
      return true;
    case ElementType::kQ2_0:
      body(ReadQ2_0<V>{});
      return true;
    case ElementType::kMXFP4:
      body(ReadMXFP4<V>{});
      return true;
    case ElementType::kIQ4_NL:
      body(ReadIQ4_NL<V>{});
      return true;
    case ElementType::kQ2_K:
      body(ReadQ2_K<V>{});
      return true;
    case ElementType::kQ3_K:
      body(ReadQ3_K<V>{});
      return true;
    case ElementType::kQ4_K:
      body(ReadQ4_K<V>{});
      return true;
    case ElementType::kQ5_K:
      body(ReadQ5_K<V>{});
      return true;
    case ElementType::kQ6_K:
      body(ReadQ6_K<V>{});
      return true;
    case ElementType::kIQ4_XS:
      body(ReadIQ4_XS<V>{});
      return true;
    default:
      return false;
  }
}

}  // namespace tenon::cpu
