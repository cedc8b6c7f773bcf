#include "tenon/op/matmul.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  const TensorType& a = node.type(0);
  const TensorType& b = node.type(1);
  const bool transpose_b = node.attributes<MatMulAttributes>().transpose_b;
  if (!is_float(b.element) && !is_block(b.element))
    return node.error("a float type at input 1", b.to_string());
  if (is_block(b.element) && !transpose_b) {
    return node.error("blocks along K at input 1 (transpose_b)", b.to_string());
  }
  if (a.rank() < 2 || b.rank() < 2) {
    return node.error("inputs of rank 2 or more", a.to_string() + " and " + b.to_string());
  }
  if (a.dim(-1) != b.dim(transpose_b ? -1 : -2)) {
    return node.error("one extent K", a.dim(-1).to_string() + " of " + a.to_string() + " and " +
                                          b.dim(transpose_b ? -1 : -2).to_string() + " of " + b.to_string());
  }
  TENON_ASSIGN(std::vector<Axis> axes,
               broadcast_axes(node, {a.axes.begin(), a.axes.end() - 2}, {b.axes.begin(), b.axes.end() - 2}));
  axes.push_back(a.axes[a.axes.size() - 2]);
  Axis columns = b.axes[b.axes.size() - (transpose_b ? 2 : 1)];
  if (b.rank() == 2 && columns.role == AxisRole::kNone) columns.role = AxisRole::kChannel;
  axes.push_back(std::move(columns));
  return std::vector<TensorType>{{ElementType::kF32, std::move(axes)}};
}

// b's N rows of K elements at the leading indices of `at`.
std::vector<std::vector<double>> load_columns(const TensorRef& b, Index at, bool transpose_b) {
  const auto outer = static_cast<size_t>(b.rank - 2);
  std::vector<std::vector<double>> rows;
  for (at[outer] = 0; at[outer] < b.extent[outer]; ++at[outer]) rows.push_back(load_row(b, at));
  if (transpose_b) return rows;
  std::vector<std::vector<double>> columns(static_cast<size_t>(b.extent[outer + 1]),
                                           std::vector<double>(rows.size()));
  for (size_t k = 0; k < rows.size(); ++k) {
    for (size_t n = 0; n < columns.size(); ++n) columns[n][k] = rows[k][n];
  }
  return columns;
}

Status reference(const ReferenceCall& call) {
  const bool transpose_b = dynamic_cast<const MatMulAttributes&>(call.attributes).transpose_b;
  const TensorRef& a = call.inputs[0];
  const TensorRef& b = call.inputs[1];
  const TensorRef& out = call.outputs[0];
  const auto row_axis = static_cast<size_t>(out.rank - 2);
  std::vector<std::vector<double>> columns;
  if (b.rank == 2) columns = load_columns(b, {}, transpose_b);
  for_each_index(out, out.rank - 2, [&](Index at) {
    if (b.rank > 2) columns = load_columns(b, broadcast_index(b, at, out.rank), transpose_b);
    for (at[row_axis] = 0; at[row_axis] < out.extent[row_axis]; ++at[row_axis]) {
      Index a_at = broadcast_index(a, at, out.rank);
      a_at[static_cast<size_t>(a.rank - 2)] = at[row_axis];
      const std::vector<double> row = load_row(a, a_at);
      for (size_t n = 0; n < columns.size(); ++n) {
        double sum = 0;
        for (size_t k = 0; k < row.size(); ++k) sum += row[k] * columns[n][k];
        at[row_axis + 1] = static_cast<int64_t>(n);
        store(out, at, sum);
      }
    }
  });
  return {};
}

}  // namespace

const OpDefinition& matmul_op() {
  static const OpDefinition op{{.name = "MatMul",
                                .inputs = {{"a", ir::InputKind::kFloat}, {"b", ir::InputKind::kFloat}},
                                .make_attributes = ir::make_attributes<MatMulAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
