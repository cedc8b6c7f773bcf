#include "tenon/op/reduce_mean.h"

#include "tenon/op/element_access.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  const std::vector<double> sums = sums_over_axes(call);
  const double count =
      static_cast<double>(call.inputs[0].element_count()) / static_cast<double>(out.element_count());
  size_t place = 0;
  for_each_index(out, [&](const Index& at) { store(out, at, sums[place++] / count); });
  return {};
}

}  // namespace

const OpDefinition& reduce_mean_op() {
  static const OpDefinition op{reduction_schema("ReduceMean"), reference};
  return op;
}

}  // namespace tenon::op
