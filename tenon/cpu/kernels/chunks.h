// Rows dealt out to the workers, cut across as well, so that one long row keeps all of them busy.
#pragma once

#include <cstdint>

#include "tenon/base/thread_pool.h"
#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// Calls body(row, begin, end) for this worker's pieces of [rows, width].
template <class Body>
TENON_INLINE void for_each_chunk(int64_t rows, int64_t width, const Worker& worker, const Body& body) {
  constexpr int64_t kWidth = 1024;
  const int64_t pieces = divide_up(width, kWidth);
  const Worker::Range share = worker.share(rows * pieces);
  for (int64_t piece = share.begin; piece < share.end; ++piece) {
    const int64_t begin = piece % pieces * kWidth;
    body(piece / pieces, begin, smaller(begin + kWidth, width));
  }
}

}  // namespace tenon::cpu
