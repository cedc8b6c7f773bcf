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
  if (!is_float(b.element) && !is_block(b.element)) {
    return node.error("a float type at input 1", b.to_string());
  }
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

// b's K elements of column n, at the leading indices of `at`.
std::vector<double> load_column(const TensorRef& b, Index at, int64_t n, bool transpose_b) {
  const auto outer = static_cast<size_t>(b.rank - 2);
  if (transpose_b) {
    at[outer] = n;
    return load_row(b, at);
  }
  std::vector<double> column;
  at[outer + 1] = n;
  for (at[outer] = 0; at[outer] < b.extent[outer]; ++at[outer]) column.push_back(load(b, at));
  return column;
}

Status reference(const ReferenceCall& call) {
  const bool transpose_b = dynamic_cast<const MatMulAttributes&>(call.attributes).transpose_b;
  const TensorRef& a = call.inputs[0];
  const TensorRef& b = call.inputs[1];
  const TensorRef& out = call.outputs[0];
  const auto row_axis = static_cast<size_t>(out.rank - 2);
  for_each_index(out, out.rank - 2, [&](Index at) {
    Index a_at = broadcast_index(a, at, out.rank);
    std::vector<std::vector<double>> rows;
    for (int64_t m = 0; m < out.extent[row_axis]; ++m) {
      a_at[static_cast<size_t>(a.rank - 2)] = m;
      rows.push_back(load_row(a, a_at));
    }
    const Index b_at = broadcast_index(b, at, out.rank);
    for (int64_t n = 0; n < out.extent[row_axis + 1]; ++n) {
      const std::vector<double> column = load_column(b, b_at, n, transpose_b);
      for (size_t m = 0; m < rows.size(); ++m) {
        double sum = 0;
        for (size_t k = 0; k < column.size(); ++k) sum += rows[m][k] * column[k];
        at[row_axis] = static_cast<int64_t>(m);
        at[row_axis + 1] = n;
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
