#include "tenon/op/set_rows.h"

#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_same_element(node, 0, 2));
  const TensorType& rows = node.type(0);
  const TensorType& index = node.type(1);
  const TensorType& cache = node.type(2);
  TENON_ASSIGN(const int axis, normalize_axis(node, node.attributes<SetRowsAttributes>().axis, cache.rank()));
  TensorType written = cache;
  written.axes[static_cast<size_t>(axis)].extent = index.element_count();
  if (rows.element_count() != written.element_count()) {
    return node.error("rows of " + written.element_count().to_string() + " elements", rows.to_string());
  }
  return std::vector<TensorType>{cache};
}

}  // namespace

const OpDefinition& set_rows_op() {
  static const OpDefinition op{{.name = "SetRows",
                                .inputs = {{"rows"}, {"index", ir::InputKind::kIndex}, {"cache"}},
                                .make_attributes = ir::make_attributes<SetRowsAttributes>,
                                .infer = infer}};
  return op;
}

}  // namespace tenon::op
