// What the gated linear units share: Name(gate, up) of one float type and shape.
#pragma once

#include "tenon/op/element_access.h"
#include "tenon/op/op.h"

namespace tenon::op {

ir::OpSchema glu_schema(std::string_view name);

// Writes f(gate) * up.
template <class F>
Status apply_glu(const ReferenceCall& call, F f) {
  const TensorRef& out = call.outputs[0];
  for_each_index(
      out, [&](const Index& at) { store(out, at, f(load(call.inputs[0], at)) * load(call.inputs[1], at)); });
  return {};
}

}  // namespace tenon::op
