#include "tenon/op/shape_of.h"

#include "tenon/op/build.h"
#include "tenon/op/element_access.h"
#include "tenon/op/gather.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  return std::vector<TensorType>{{ElementType::kI64, {Axis(node.type(0).rank())}}};
}

Status reference(const ReferenceCall& call) {
  for_each_index(call.outputs[0], [&](const Index& at) {
    store_integer(call.outputs[0], at, call.inputs[0].extent[static_cast<size_t>(at[0])]);
  });
  return {};
}

}  // namespace

const OpDefinition& shape_of_op() {
  static const OpDefinition op{{.name = "ShapeOf",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

Result<ir::Value> get_dimensions(ir::Model& model, ir::Value value, std::vector<int64_t> dims,
                                 std::string name) {
  const int rank = value.type().rank();
  for (int64_t& dim : dims) {
    if (dim < -rank || dim >= rank) {
      return Error{ErrorCode::kInvalidGraph, "dimensions of " + value.describe(),
                   "a dimension of a rank " + std::to_string(rank) + " tensor", std::to_string(dim), ""};
    }
    if (dim < 0) dim += rank;
  }
  Builder build(model, name.empty() ? value.node().name() : std::move(name));
  TENON_ASSIGN(ir::Value shape, build.add(shape_of_op(), {value}));
  return build.add(gather_op(), {shape, build.integers(std::move(dims))}, GatherAttributes{});
}

}  // namespace tenon::op
