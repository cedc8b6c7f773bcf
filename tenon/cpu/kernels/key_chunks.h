// How keys are cut into chunks for calls of few tokens. A border depends on the position and on the window
// alone, never on how many keys or tokens a call has, so that a token's sums are put together in one way
// whatever stands beside it. Chunks grow with the position, each a sixteenth of the keys before it at most,
// so that their number grows with the logarithm of the context.
#pragma once

#include <cstdint>

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

class KeyChunks {
 public:
  static constexpr int64_t kLeastKeys = 64;  // all borders are multiples of it

  // Short windows are cut finer: what they show is to keep several workers busy, too. window 0: none.
  TENON_INLINE explicit KeyChunks(int64_t window) {
    if (window == 0) return;
    first_keys_ = smaller(larger((int64_t{1} << bit_width(window)) / 16, kLeastKeys), kFirstKeys);
    most_doublings_ = bit_width(window / (2 * kEqual * kFirstKeys));
  }

  // The chunk that holds `key`.
  TENON_INLINE int64_t of(int64_t key) const {
    const int64_t units = key / first_keys_;
    const int64_t doublings = smaller(larger(bit_width(units / kEqual) - 1, 0), most_doublings_);
    return kEqual * doublings + (units >> doublings);
  }
  // The first key of a chunk.
  TENON_INLINE int64_t begin(int64_t chunk) const {
    const int64_t doublings = smaller(larger(chunk / kEqual - 1, 0), most_doublings_);
    return ((chunk - kEqual * doublings) << doublings) * first_keys_;
  }

  // A token that sees so many keys one behind the other, or fewer, sees no more chunks, whatever the window.
  static TENON_INLINE int64_t most_visible(int64_t keys) {
    if (keys <= 1) return 1;
    return larger(KeyChunks(0).of(keys - 1) + 1, smaller(divide_up(keys, kLeastKeys), kEqual)) + 1;
  }

 private:
  static constexpr int64_t kFirstKeys = 256;
  static constexpr int64_t kEqual = 16;  // chunks of a length, before lengths double; twice as many at first

  // Of n >= 0.
  static TENON_INLINE int64_t bit_width(int64_t n) {
    return n == 0 ? 0 : 64 - __builtin_clzll(static_cast<unsigned long long>(n));
  }

  int64_t first_keys_ = kFirstKeys, most_doublings_ = 63;
};

}  // namespace tenon::cpu
