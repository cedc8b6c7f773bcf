// Asking for memory before it is needed. A kernel that streams weights or cached keys computes enough between
// two loads that the core alone does not look far ahead, and the hardware's own prefetchers cannot be relied
// on: virtual machines often run without them, and rows that are read abreast look like many short streams.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// How far ahead of its use a stream is asked for: longer than memory's latency, short enough for L1.
inline constexpr int64_t kAheadBytes = 4096;

// The same for rows that are read `abreast`, each row_bytes long: a whole number of such strips, so that what
// is asked for is exactly what the strips to come read.
TENON_INLINE constexpr int64_t ahead_of(int64_t abreast, int64_t row_bytes) {
  return round_up(kAheadBytes, abreast * row_bytes);
}

// The lines of kBytes bytes from `at` on. May lie beyond any memory there is.
template <int64_t kBytes>
TENON_INLINE void prefetch(const void* at) {
  unroll<divide_up(kBytes, 64)>(
      [&](auto line) TENON_BODY { __builtin_prefetch(static_cast<const std::byte*>(at) + 64 * line, 0, 3); });
}

}  // namespace tenon::cpu
