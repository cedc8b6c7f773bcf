// The schema and the reference loop of elementwise ops.
#pragma once

#include <algorithm>
#include <cmath>

#include "tenon/op/element_access.h"
#include "tenon/op/op.h"

namespace tenon::op {

// Two inputs of one plain type; with `floats_only`, of a float type.
ir::OpSchema binary_schema(std::string_view name, bool floats_only = false);
// One float input.
ir::OpSchema unary_schema(std::string_view name);

// Writes f(a, b) of doubles or, for integers, of uint64_t: they wrap in two's complement.
template <class F>
Status apply_binary(const ReferenceCall& call, F f) {
  const TensorRef& out = call.outputs[0];
  const TensorRef& a = call.inputs[0];
  const TensorRef& b = call.inputs[1];
  for_each_index(out, [&](const Index& at) {
    const Index a_at = broadcast_index(a, at, out.rank);
    const Index b_at = broadcast_index(b, at, out.rank);
    if (is_float(out.element)) {
      store(out, at, f(load(a, a_at), load(b, b_at)));
    } else {
      const uint64_t wrapped =
          f(static_cast<uint64_t>(load_integer(a, a_at)), static_cast<uint64_t>(load_integer(b, b_at)));
      store_integer(out, at, static_cast<int64_t>(wrapped));
    }
  });
  return {};
}

template <class F>
Status apply_unary(const ReferenceCall& call, F f) {
  const TensorRef& out = call.outputs[0];
  for_each_index(out, [&](const Index& at) { store(out, at, f(load(call.inputs[0], at))); });
  return {};
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
// ln(1 + e^x), without overflow for large x.
inline double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

}  // namespace tenon::op
