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

struct AffineFit {
  float scale, minimum;  // both at least 0
};
// values ≈ scale * quants - minimum, quants in [0, limit], errors weighted by `weights`.
AffineFit fit_affine(std::span<const float> values, const float* weights, int limit, uint8_t* quants);

}  // namespace tenon::quant
