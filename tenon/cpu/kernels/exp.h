// exp and silu on vectors.
#pragma once

#include "tenon/cpu/simd/inline.h"

namespace tenon::cpu {

// e^x for x up to 88, within 2 units in the last place; 0 below -87.3, where e^x is not a normal number.
// x = n ln 2 + r, |r| <= ln 2 / 2; e^r by its Taylor polynomial of degree 7, whose error is r^8 / 8! < 2^-27.
template <class V>
TENON_INLINE typename V::F32 exp(typename V::F32 x) {
  using F32 = typename V::F32;
  const F32 n = V::round(V::mul(x, V::set(1.44269504f)));
  // ln 2 in two parts: n times the first is exact.
  const F32 r = V::fnma(n, V::set(-2.12194440e-4f), V::fnma(n, V::set(0.693359375f), x));
  F32 p = V::set(1.0f / 5040.0f);
  p = V::fma(p, r, V::set(1.0f / 720.0f));
  p = V::fma(p, r, V::set(1.0f / 120.0f));
  p = V::fma(p, r, V::set(1.0f / 24.0f));
  p = V::fma(p, r, V::set(1.0f / 6.0f));
  p = V::fma(p, r, V::set(0.5f));
  p = V::fma(p, r, V::set(1.0f));
  p = V::fma(p, r, V::set(1.0f));
  return V::zero_below(x, V::set(-87.3f), V::scale_by_power(p, n));
}

// x / (1 + e^-x). Below -88, where e^-x leaves f32's range, the result is less than 1e-35 in magnitude.
template <class V>
TENON_INLINE typename V::F32 silu(typename V::F32 x) {
  const typename V::F32 power = exp<V>(V::min(V::sub(V::zero(), x), V::set(88.0f)));
  return V::div(x, V::add(V::set(1.0f), power));
}

}  // namespace tenon::cpu
