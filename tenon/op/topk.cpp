#include "tenon/op/topk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  const auto& attributes = node.attributes<TopKAttributes>();
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  if (attributes.index_type != ElementType::kI32 && attributes.index_type != ElementType::kI64) {
    return node.error("an index type i32 or i64", std::string(name(attributes.index_type)));
  }
  TensorType values = node.type(0);
  TENON_ASSIGN(const int axis, normalize_axis(node, attributes.axis, values.rank()));
  TENON_RETURN_IF_ERROR(require_rank(node, 1, 0));
  const std::optional<std::vector<Dim>> k = node.value(1);
  if (!k || k->size() != 1) return node.error("a k that is known at conversion", node.type(1).to_string());
  const std::optional<int64_t> count = k->front().try_value();
  const std::optional<int64_t> extent = values.dim(axis).try_value();
  if (count && (*count < 0 || (extent && *count > *extent))) {
    return node.error("k in [0, " + values.dim(axis).to_string() + "]", "k = " + std::to_string(*count));
  }
  values.axes[static_cast<size_t>(axis)].extent = k->front();
  return std::vector<TensorType>{values, {attributes.index_type, values.axes}};
}

// Whether `a` comes before `b`; NaN comes last.
bool precedes(double a, double b, TopKMode mode) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return mode == TopKMode::kMax ? a > b : a < b;
}

Status reference(const ReferenceCall& call) {
  const auto& attributes = dynamic_cast<const TopKAttributes&>(call.attributes);
  const TensorRef& data = call.inputs[0];
  const TensorRef& values = call.outputs[0];
  const TensorRef& indices = call.outputs[1];
  const auto axis = static_cast<size_t>(attributes.axis < 0 ? attributes.axis + data.rank : attributes.axis);
  const int64_t k = load_integer(call.inputs[1], {});
  if (k < 0 || k > data.extent[axis]) {
    return Error{ErrorCode::kInvalidArgument, "TopK", "k in [0, " + std::to_string(data.extent[axis]) + "]",
                 "k = " + std::to_string(k), ""};
  }
  TensorRef rows = data;
  rows.extent[axis] = 1;
  for_each_index(rows, [&](Index at) {
    std::vector<double> row;
    for (at[axis] = 0; at[axis] < data.extent[axis]; ++at[axis]) row.push_back(load(data, at));
    std::vector<int64_t> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return precedes(row[static_cast<size_t>(a)], row[static_cast<size_t>(b)], attributes.mode);
    });
    for (int64_t place = 0; place < k; ++place) {
      Index from = at;
      from[axis] = order[static_cast<size_t>(place)];
      at[axis] = place;
      copy_element(values, at, data, from);
      store_integer(indices, at, from[axis]);
    }
  });
  return {};
}

}  // namespace

const OpDefinition& topk_op() {
  static const OpDefinition op{{.name = "TopK",
                                .inputs = {{"data"}, {"k", ir::InputKind::kIndex}},
                                .make_attributes = ir::make_attributes<TopKAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

Result<ir::Value> make_topk_indices(ir::Model& model, ir::Value input, ir::Value k, int64_t axis,
                                    TopKMode mode, ElementType index_type, bool stable, std::string name) {
  auto attributes = std::make_unique<TopKAttributes>();
  attributes->axis = axis;
  attributes->mode = mode;
  attributes->index_type = index_type;
  attributes->stable = stable;
  TENON_ASSIGN(ir::Node * node,
               model.add(topk_op().schema, {input, k}, std::move(attributes), std::move(name)));
  return node->output(1);
}

}  // namespace tenon::op
