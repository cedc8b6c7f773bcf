#include "tenon/op/gather.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  const auto& attributes = node.attributes<GatherAttributes>();
  const TensorType& data = node.type(0);
  const TensorType& indices = node.type(1);
  TENON_ASSIGN(const int axis, normalize_axis(node, attributes.axis, data.rank()));
  const int64_t batch = attributes.batch_dims;
  if (batch < 0 || batch > axis || batch > indices.rank()) {
    return node.error("batch_dims of at most the axis and the indices' rank", std::to_string(batch));
  }
  if (is_block(data.element) && axis == data.rank() - 1) {
    return node.error("an axis before that of the blocks",
                      data.to_string() + " on axis " + std::to_string(axis));
  }
  TensorType out{is_block(data.element) ? ElementType::kF32 : data.element, {}};
  for (int i = 0; i < axis; ++i) {
    if (i < batch && data.dim(i) != indices.dim(i)) {
      return node.error("equal batch axes", data.to_string() + " and " + indices.to_string());
    }
    out.axes.push_back(data.axes[static_cast<size_t>(i)]);
  }
  out.axes.insert(out.axes.end(), indices.axes.begin() + batch, indices.axes.end());
  out.axes.insert(out.axes.end(), data.axes.begin() + axis + 1, data.axes.end());
  const bool is_table = data.rank() == 2 && axis == 0 && !is_integer(data.element);
  if (is_table && out.role(-1) == AxisRole::kNone) out.axes.back().role = AxisRole::kChannel;
  if (out.rank() > kMaxRank) {
    return node.error("at most " + std::to_string(kMaxRank) + " axes", out.to_string());
  }
  return std::vector<TensorType>{out};
}

Status reference(const ReferenceCall& call) {
  const auto& attributes = dynamic_cast<const GatherAttributes&>(call.attributes);
  const TensorRef& data = call.inputs[0];
  const TensorRef& indices = call.inputs[1];
  const TensorRef& out = call.outputs[0];
  const auto axis = static_cast<int>(attributes.axis < 0 ? attributes.axis + data.rank : attributes.axis);
  const auto batch = static_cast<int>(attributes.batch_dims);
  const int inner = data.rank - axis - 1;  // axes after the gathered one
  const bool by_rows = is_block(data.element);

  Status status;
  for_each_index(out, by_rows ? out.rank - 1 : out.rank, [&](Index at) {
    if (!status.ok()) return;
    Index index_at{};
    for (int i = 0; i < indices.rank; ++i) {
      index_at[static_cast<size_t>(i)] = at[static_cast<size_t>(i < batch ? i : axis + i - batch)];
    }
    const int64_t index = load_integer(indices, index_at);
    const int64_t extent = data.extent[static_cast<size_t>(axis)];
    if (index < 0 || index >= extent) {
      status = index_error("Gather", index, extent);
      return;
    }
    Index from{};
    for (int i = 0; i < axis; ++i) from[static_cast<size_t>(i)] = at[static_cast<size_t>(i)];
    from[static_cast<size_t>(axis)] = index;
    for (int i = 0; i < inner; ++i) {
      from[static_cast<size_t>(axis + 1 + i)] = at[static_cast<size_t>(out.rank - inner + i)];
    }
    if (!by_rows) return copy_element(out, at, data, from);
    for (const double value : load_row(data, from)) {
      store(out, at, value);
      ++at[static_cast<size_t>(out.rank - 1)];
    }
  });
  return status;
}

}  // namespace

const OpDefinition& gather_op() {
  static const OpDefinition op{{.name = "Gather",
                                .inputs = {{"data"}, {"indices", ir::InputKind::kIndex}},
                                .make_attributes = ir::make_attributes<GatherAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
