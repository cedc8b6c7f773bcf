// How the K formats choose a group's scale: rounding is tried at several scales, and the least-squares scale
// of the rounding that fits best is taken. The sums are formed in ggml's order (make_qx_quants,
// make_qkx2_quants).
#pragma once

#include <cstdint>
#include <span>

namespace tenon::quant {

// Below this magnitude a group counts as all zero.
inline constexpr float kNegligible = 1e-15f;

// To the nearest integer, halves to even; exact for |value| < 2^22.
int nearest_integer(float value);

// values ≈ scale * (quants - limit), quants in [0, 2 * limit), errors weighted by values². Returns the scale,
// which has either sign; 0 for negligible values, with quants of 0.
float fit_symmetric(std::span<const float> values, int limit, uint8_t* quants);

// The same by another search: from the first rounding on, one quant after the other takes the level that is
// best beside the others, until none changes or five rounds have passed (make_q3_quants).
float fit_symmetric_by_turns(std::span<const float> values, int limit, uint8_t* quants);

struct AffineFit {
  float scale, minimum;  // both at least 0
};
// Which scales are tried: (limit + first + 0.1 * step) / the range of the values, for `step` in [0, last].
struct AffineSearch {
  float first;
  int last;
  bool squares;  // of the errors, or their magnitudes
};
// values ≈ scale * quants - minimum, quants in [0, limit], errors weighted by `weights`.
AffineFit fit_affine(std::span<const float> values, const float* weights, int limit, AffineSearch search,
                     uint8_t* quants);

}  // namespace tenon::quant
