// exp, and what is made of it, on vectors.
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

// x / (1 + e^-y). Below y = -88, where e^-y leaves f32's range, the result is less than 1e-35 x in magnitude.
template <class V>
TENON_INLINE typename V::F32 times_sigmoid(typename V::F32 x, typename V::F32 y) {
  const typename V::F32 power = exp<V>(V::min(V::sub(V::zero(), y), V::set(88.0f)));
  return V::div(x, V::add(V::set(1.0f), power));
}

// ln(1 + e^x); past 20, where e^-x is less than half a unit in the last place of x, x itself.
TENON_INLINE float softplus(float x) { return x > 20.0f ? x : __builtin_log1pf(__builtin_expf(x)); }

template <class V>
TENON_INLINE typename V::F32 silu(typename V::F32 x) {
  return times_sigmoid<V>(x, x);
}

// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, by (1 + tanh(y)) / 2 = sigmoid(2 y).
template <class V>
TENON_INLINE typename V::F32 gelu(typename V::F32 x) {
  const typename V::F32 bend = V::fma(V::mul(x, x), V::set(0.0713548163f), V::set(1.59576912f));
  return times_sigmoid<V>(x, V::mul(x, bend));
}

// 2 sigmoid(2 x) - 1, whose error is one of 1, not of the result.
template <class V>
TENON_INLINE typename V::F32 tanh(typename V::F32 x) {
  return V::sub(times_sigmoid<V>(V::set(2.0f), V::add(x, x)), V::set(1.0f));
}

}  // namespace tenon::cpu
