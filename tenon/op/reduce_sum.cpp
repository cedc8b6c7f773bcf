#include "tenon/op/reduce_sum.h"

#include "tenon/op/element_access.h"

namespace tenon::op {

namespace {

Status reference(const ReferenceCall& call) {
  const std::vector<double> sums = sums_over_axes(call);
  size_t place = 0;
  for_each_index(call.outputs[0], [&](const Index& at) { store(call.outputs[0], at, sums[place++]); });
  return {};
}

}  // namespace

const OpDefinition& reduce_sum_op() {
  static const OpDefinition op{reduction_schema("ReduceSum"), reference};
  return op;
}

}  // namespace tenon::op
