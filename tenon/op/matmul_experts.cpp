#include "tenon/op/matmul_experts.h"

#include "tenon/op/build.h"
#include "tenon/op/element_access.h"
#include "tenon/op/gather.h"
#include "tenon/op/matmul.h"
#include "tenon/op/shape_rule.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/unsqueeze.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_float(node, 0));
  TENON_RETURN_IF_ERROR(require_rank(node, 1, 3));
  const TensorType &x = node.type(0), &w = node.type(1), &ids = node.type(2);
  if (!is_float(w.element) && !is_block(w.element))
    return node.error("a float or block type at input 1", w.to_string());
  if (x.rank() < 2 || ids.rank() != x.rank() - 1 || ids.rank() > kMaxRank - 2) {
    return node.error("ids [.., T, U] for x [.., T, S, K]", ids.to_string() + " for " + x.to_string());
  }
  if (x.dim(-1) != w.dim(-1)) return node.error("one extent K", x.to_string() + " and " + w.to_string());
  // Slots broadcast from 1, tokens do not.
  for (int axis = 0; axis < ids.rank() - 1; ++axis) {
    if (x.dim(axis) == ids.dim(axis)) continue;
    return node.error("x and ids of the same tokens", x.to_string() + " and " + ids.to_string());
  }
  if (x.dim(-2) != Dim(1) && x.dim(-2) != ids.dim(-1)) {
    return node.error("one row of x for each id, or for all of a token's",
                      x.to_string() + " and " + ids.to_string());
  }
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, {x.axes.begin(), x.axes.end() - 1}, ids.axes));
  axes.push_back(w.axes[1]);
  return std::vector<TensorType>{{ElementType::kF32, std::move(axes)}};
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

Status reference(const ReferenceCall& call) {
  const TensorRef &x = call.inputs[0], &w = call.inputs[1], &ids = call.inputs[2], &out = call.outputs[0];
  Status status;
  for_each_index(ids, [&](Index at) {
    if (!status.ok()) return;
    const int64_t expert = load_integer(ids, at);
    if (expert < 0 || expert >= w.extent[0]) {
      status = index_error("MatMulExperts", expert, w.extent[0]);
      return;
    }
    const std::vector<double> row = load_row(x, broadcast_index(x, at, out.rank));
    for (int64_t n = 0; n < w.extent[1]; ++n) {
      at[static_cast<size_t>(out.rank - 1)] = n;
      store(out, at, dot(row, load_row(w, {expert, n})));
    }
  });
  return status;
}

// Every chosen matrix, gathered; then one product for each id.
Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  const int64_t row_axis = node.input(0).type().rank() - 1;
  UnsqueezeAttributes row;
  row.axes = {row_axis};
  SqueezeAttributes no_row;
  no_row.axes = {row_axis};
  MatMulAttributes by_rows;
  by_rows.transpose_b = true;
  TENON_ASSIGN(const ir::Value x, build.add(unsqueeze_op(), {node.input(0)}, row));
  TENON_ASSIGN(const ir::Value chosen,
               build.add(gather_op(), {node.input(1), node.input(2)}, GatherAttributes()));
  TENON_ASSIGN(const ir::Value product, build.add(matmul_op(), {x, chosen}, by_rows));
  TENON_ASSIGN(const ir::Value out, build.add(squeeze_op(), {product}, no_row));
  return std::vector<ir::Value>{out};
}

}  // namespace

const OpDefinition& matmul_experts_op() {
  static const OpDefinition op{
      {.name = "MatMulExperts",
       .inputs = {{"x", ir::InputKind::kFloat}, {"w", ir::InputKind::kFloat}, {"ids", ir::InputKind::kIndex}},
       .make_attributes = ir::make_attributes<ir::NoAttributes>,
       .infer = infer},
      reference,
      decompose};
  return op;
}

}  // namespace tenon::op
