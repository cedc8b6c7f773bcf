#include "tenon/op/ssm_scan.h"

#include "tenon/op/element_access.h"
#include "tenon/op/elementwise_rule.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

enum Input { kState, kX, kDt, kA, kB, kC, kInputs };

Status require_dims(const ir::Inference& node, int input, const std::vector<Dim>& wanted) {
  if (node.type(input).dims() == wanted) return {};
  const TensorType type{ElementType::kF32, {wanted.begin(), wanted.end()}};
  return node.error(type.to_string() + " at input " + std::to_string(input), node.type(input).to_string());
}

InferredTypes infer(const ir::Inference& node) {
  for (int input = 0; input < kInputs; ++input) {
    if (node.type(input).element != ElementType::kF32)
      return node.error("f32 at input " + std::to_string(input), node.type(input).to_string());
  }
  for (const int input : {kState, kX, kB}) TENON_RETURN_IF_ERROR(require_rank(node, input, 4));
  TENON_RETURN_IF_ERROR(require_rank(node, kA, 2));
  const TensorType &state = node.type(kState), &x = node.type(kX), &b = node.type(kB);
  const Dim &batch = x.dim(0), &tokens = x.dim(1), &heads = x.dim(2);
  TENON_ASSIGN(const int64_t head_count, require_static(node, kX, 2));
  TENON_ASSIGN(const int64_t groups, require_static(node, kB, 2));
  if (groups < 1 || head_count % groups != 0)
    return node.error("heads that are a multiple of the " + std::to_string(groups) + " groups",
                      x.to_string());
  const Dim& size = state.dim(3);
  TENON_RETURN_IF_ERROR(require_dims(node, kState, {batch, heads, x.dim(3), size}));
  TENON_RETURN_IF_ERROR(require_dims(node, kDt, {1, batch, tokens, heads}));
  TENON_RETURN_IF_ERROR(require_dims(node, kB, {batch, tokens, b.dim(2), size}));
  TENON_RETURN_IF_ERROR(require_dims(node, kC, b.dims()));
  if (node.type(kA).dim(1) != Dim(1)) TENON_RETURN_IF_ERROR(require_dims(node, kA, {heads, size}));
  TENON_RETURN_IF_ERROR(require_dims(node, kA, {heads, node.type(kA).dim(1)}));
  return std::vector<TensorType>{x, state};
}

Status reference(const ReferenceCall& call) {
  const auto& in = call.inputs;
  const TensorRef &state = in[kState], &x = in[kX], &y = call.outputs[0];
  const int64_t heads_of_group = state.extent[1] / in[kB].extent[2];
  const bool decay_per_state = in[kA].extent[1] != 1;
  for_each_index(state, 3, [&](const Index& at) {
    const int64_t batch = at[0], head = at[1], p = at[2], group = head / heads_of_group;
    std::vector<double> row = load_row(state, at);
    for (int64_t t = 0; t < x.extent[1]; ++t) {
      const double step = softplus(load(in[kDt], {0, batch, t, head}));
      const double input = step * load(x, {batch, t, head, p});
      double sum = 0;
      for (int64_t n = 0; n < state.extent[3]; ++n) {
        double& memory = row[static_cast<size_t>(n)];
        const double decay = std::exp(step * load(in[kA], {head, decay_per_state ? n : 0}));
        memory = memory * decay + input * load(in[kB], {batch, t, group, n});
        sum += memory * load(in[kC], {batch, t, group, n});
      }
      store(y, {batch, t, head, p}, sum);
    }
    for (int64_t n = 0; n < state.extent[3]; ++n)
      store(call.outputs[1], {batch, head, p, n}, row[static_cast<size_t>(n)]);
  });
  return {};
}

}  // namespace

const OpDefinition& ssm_scan_op() {
  static const OpDefinition op{{.name = "SsmScan",
                                .inputs = {{"state", ir::InputKind::kFloat},
                                           {"x", ir::InputKind::kFloat},
                                           {"dt", ir::InputKind::kFloat},
                                           {"a", ir::InputKind::kFloat},
                                           {"b", ir::InputKind::kFloat},
                                           {"c", ir::InputKind::kFloat}},
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
