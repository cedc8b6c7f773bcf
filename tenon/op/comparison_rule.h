// The schema and the reference loop of ops that give bool.
#pragma once

#include "tenon/op/element_access.h"
#include "tenon/op/op.h"

namespace tenon::op {

ir::OpSchema comparison_schema(std::string_view name);

// Writes f(a, b), of integers as int64_t, of floats as double.
template <class F>
Status apply_comparison(const ReferenceCall& call, F f) {
  const TensorRef &out = call.outputs[0], &a = call.inputs[0], &b = call.inputs[1];
  for_each_index(out, [&](const Index& at) {
    const Index a_at = broadcast_index(a, at, out.rank);
    const Index b_at = broadcast_index(b, at, out.rank);
    const bool holds = is_float(a.element) ? f(load(a, a_at), load(b, b_at))
                                           : f(load_integer(a, a_at), load_integer(b, b_at));
    store_integer(out, at, holds ? 1 : 0);
  });
  return {};
}

}  // namespace tenon::op
