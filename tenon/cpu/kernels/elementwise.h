// rows.h's BinaryJob, UnaryJob and GluJob, done.
#pragma once

#include "tenon/cpu/kernels/chunks.h"
#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/rows.h"

namespace tenon::cpu {

template <class V, BinaryOp kOp>
void binary_of(const BinaryJob& job, const Worker& worker) {
  using F32 = typename V::F32;
  for_each_chunk(job.rows, job.width, worker, [&](int64_t row, int64_t begin, int64_t end) TENON_BODY {
    const float* a = job.a + row * job.a_stride;
    const float* b = job.b + row % job.b_rows * job.b_stride;
    float* out = job.output + row * job.output_stride;
    const bool single = job.b_width == 1;
    const F32 same = V::set(b[0]);
    for (int64_t i = begin; i < end; i += V::kLanes) {
      const int64_t n = smaller(end - i, V::kLanes);
      const F32 left = V::load(a + i, n), right = single ? same : V::load(b + i, n);
      if constexpr (kOp == BinaryOp::kAdd)
        V::store(out + i, V::add(left, right), n);
      else if constexpr (kOp == BinaryOp::kDivide)
        V::store(out + i, V::div(left, right), n);
      else
        V::store(out + i, V::mul(left, right), n);
    }
  });
}

template <class V>
void binary(const BinaryJob& job, const Worker& worker) {
  if (job.op == BinaryOp::kAdd)
    binary_of<V, BinaryOp::kAdd>(job, worker);
  else if (job.op == BinaryOp::kDivide)
    binary_of<V, BinaryOp::kDivide>(job, worker);
  else
    binary_of<V, BinaryOp::kMultiply>(job, worker);
}

template <class V, UnaryOp kOp>
TENON_INLINE typename V::F32 unary_of(typename V::F32 x) {
  if constexpr (kOp == UnaryOp::kGelu) return gelu<V>(x);
  if constexpr (kOp == UnaryOp::kSigmoid) return times_sigmoid<V>(V::set(1.0f), x);
  if constexpr (kOp == UnaryOp::kSilu) return silu<V>(x);
  if constexpr (kOp == UnaryOp::kTanh) return tanh<V>(x);
}

template <class V, UnaryOp kOp>
void unary_as(const UnaryJob& job, const Worker& worker) {
  for_each_chunk(job.rows, job.width, worker, [&](int64_t row, int64_t begin, int64_t end) TENON_BODY {
    const float* x = job.x + row * job.x_stride;
    float* out = job.output + row * job.output_stride;
    if constexpr (kOp == UnaryOp::kSoftplus) {  // of few elements: a number to the head
      for (int64_t i = begin; i < end; ++i) out[i] = softplus(x[i]);
    } else {
      for (int64_t i = begin; i < end; i += V::kLanes) {
        const int64_t n = smaller(end - i, V::kLanes);
        V::store(out + i, unary_of<V, kOp>(V::load(x + i, n)), n);
      }
    }
  });
}

template <class V>
void unary(const UnaryJob& job, const Worker& worker) {
  switch (job.op) {
    case UnaryOp::kGelu:
      return unary_as<V, UnaryOp::kGelu>(job, worker);
    case UnaryOp::kSigmoid:
      return unary_as<V, UnaryOp::kSigmoid>(job, worker);
    case UnaryOp::kSilu:
      return unary_as<V, UnaryOp::kSilu>(job, worker);
    case UnaryOp::kSoftplus:
      return unary_as<V, UnaryOp::kSoftplus>(job, worker);
    case UnaryOp::kTanh:
      return unary_as<V, UnaryOp::kTanh>(job, worker);
  }
}

enum class Gate : uint8_t { kGelu, kSilu };

template <class V, Gate kGate>
void gated(const GluJob& job, const Worker& worker) {
  using F32 = typename V::F32;
  for_each_chunk(job.rows, job.width, worker, [&](int64_t row, int64_t begin, int64_t end) TENON_BODY {
    const float* gate = job.gate + row * job.gate_stride;
    const float* up = job.up + row * job.up_stride;
    float* out = job.output + row * job.output_stride;
    for (int64_t i = begin; i < end; i += V::kLanes) {
      const int64_t n = smaller(end - i, V::kLanes);
      const F32 x = V::load(gate + i, n);
      V::store(out + i, V::mul(kGate == Gate::kGelu ? gelu<V>(x) : silu<V>(x), V::load(up + i, n)), n);
    }
  });
}

template <class V>
void clamped_glu(const ClampedGluJob& job, const Worker& worker) {
  using F32 = typename V::F32;
  const GluJob& operands = job.operands;
  const F32 limit = V::set(job.limit), alpha = V::set(job.alpha);
  for_each_chunk(
      operands.rows, operands.width, worker, [&](int64_t row, int64_t begin, int64_t end) TENON_BODY {
        const float* gate = operands.gate + row * operands.gate_stride;
        const float* up = operands.up + row * operands.up_stride;
        float* out = operands.output + row * operands.output_stride;
        for (int64_t i = begin; i < end; i += V::kLanes) {
          const int64_t n = smaller(end - i, V::kLanes);
          const F32 g = V::min(V::load(gate + i, n), limit);
          const F32 u = V::max(V::min(V::load(up + i, n), limit), V::sub(V::zero(), limit));
          V::store(out + i, V::mul(times_sigmoid<V>(g, V::mul(alpha, g)), V::add(u, V::set(1.0f))), n);
        }
      });
}

template <class V>
void geglu(const GluJob& job, const Worker& worker) {
  gated<V, Gate::kGelu>(job, worker);
}

template <class V>
void swiglu(const GluJob& job, const Worker& worker) {
  gated<V, Gate::kSilu>(job, worker);
}

}  // namespace tenon::cpu
