// Small helpers of the per-ISA files. Everything that those files share is a template over the ISA or forced
// inline: an ordinary inline function would be compiled with each file's instruction set, and the linker
// would keep any one.
#pragma once

#include <cstdint>

#define TENON_INLINE inline __attribute__((always_inline))

namespace tenon::cpu {

template <int64_t I>
struct Index {
  constexpr operator int64_t() const { return I; }  // NOLINT: implicit on purpose
};

// body(Index<0>{}), …, body(Index<N - 1>{}): a loop that is always unrolled, so that arrays which it indexes
// can live in registers. The body should be a TENON_BODY lambda.
template <int64_t N, int64_t I = 0, class Body>
TENON_INLINE void unroll(const Body& body) {
  if constexpr (I < N) {
    body(Index<I>{});
    unroll<N, I + 1>(body);
  }
}
#define TENON_BODY __attribute__((always_inline))

TENON_INLINE constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
TENON_INLINE constexpr int64_t larger(int64_t a, int64_t b) { return a < b ? b : a; }
TENON_INLINE constexpr int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
TENON_INLINE constexpr int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

}  // namespace tenon::cpu
