#include "tenon/op/scatter_update.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  TENON_RETURN_IF_ERROR(require_same_element(node, 0, 2));
  const TensorType& data = node.type(0);
  const TensorType& indices = node.type(1);
  const TensorType& updates = node.type(2);
  TENON_ASSIGN(const int axis,
               normalize_axis(node, node.attributes<ScatterUpdateAttributes>().axis, data.rank()));
  std::vector<Dim> wanted = data.dims();
  wanted[static_cast<size_t>(axis)] = indices.element_count();
  if (updates.dims() != wanted) {
    return node.error("updates of data's extents with " + indices.element_count().to_string() + " on axis " +
                          std::to_string(axis),
                      updates.to_string() + " for data " + data.to_string());
  }
  return infer_same_type(node);
}

Status reference(const ReferenceCall& call) {
  const TensorRef& data = call.inputs[0];
  const TensorRef& indices = call.inputs[1];
  const TensorRef& updates = call.inputs[2];
  const TensorRef& out = call.outputs[0];
  const int64_t given = dynamic_cast<const ScatterUpdateAttributes&>(call.attributes).axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + data.rank : given);

  std::vector<int64_t> places;
  for_each_index(indices, [&](const Index& at) { places.push_back(load_integer(indices, at)); });
  for (const int64_t place : places) {
    if (place < 0 || place >= data.extent[axis]) {
      return index_error("ScatterUpdate", place, data.extent[axis]);
    }
  }
  if (out.data != data.data) for_each_index(data, [&](const Index& at) { copy_element(out, at, data, at); });
  for_each_index(updates, [&](const Index& at) {
    Index to = at;
    to[axis] = places[static_cast<size_t>(at[axis])];
    copy_element(out, to, updates, at);
  });
  return {};
}

}  // namespace

const OpDefinition& scatter_update_op() {
  static const OpDefinition op{{.name = "ScatterUpdate",
                                .inputs = {{"data"}, {"indices", ir::InputKind::kIndex}, {"updates"}},
                                .make_attributes = ir::make_attributes<ScatterUpdateAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
