#include "tenon/op/gated_delta_net.h"

#include <cmath>

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

enum Input { kQ, kK, kV, kGate, kBeta, kState, kInputs };

InferredTypes infer(const ir::Inference& node) {
  for (int input = 0; input < kInputs; ++input) {
    TENON_RETURN_IF_ERROR(require_rank(node, input, 4));
    if (node.type(input).element != ElementType::kF32)
      return node.error("f32 at input " + std::to_string(input), node.type(input).to_string());
  }
  const TensorType &q = node.type(kQ), &v = node.type(kV), &state = node.type(kState);
  const Dim &batch = v.dim(0), &tokens = v.dim(1), &heads = v.dim(2), &size = v.dim(3);
  TENON_ASSIGN(const int64_t head_count, require_static(node, kV, 2));
  TENON_ASSIGN(const int64_t groups, require_static(node, kQ, 2));
  if (groups < 1 || head_count % groups != 0) {
    return node.error("heads of v that are a multiple of the " + std::to_string(groups) + " of q and k",
                      v.to_string());
  }
  const std::vector<Dim> of_keys = {batch, tokens, q.dim(2), size};
  const Dim per_channel = node.type(kGate).dim(3) == Dim(1) ? Dim(1) : size;
  const std::vector<Dim> wanted[kInputs] = {of_keys,
                                            of_keys,
                                            v.dims(),
                                            {batch, tokens, heads, per_channel},
                                            {batch, tokens, heads, 1},
                                            {batch, heads, size, size}};
  for (int input = 0; input < kInputs; ++input) {
    const std::vector<Dim>& dims = wanted[input];
    if (node.type(input).dims() == dims) continue;
    const TensorType type{ElementType::kF32, {dims.begin(), dims.end()}};
    return node.error(type.to_string() + " at input " + std::to_string(input), node.type(input).to_string());
  }
  return std::vector<TensorType>{v, state};
}

// One row of a head's state, [D] over the keys, through all tokens. Rows do not know each other.
void run_row(const ReferenceCall& call, const Index& at) {
  const auto& in = call.inputs;
  const int64_t batch = at[0], head = at[1], j = at[2], key_head = head % in[kQ].extent[2];
  const bool per_channel = in[kGate].extent[3] != 1;
  const double scale = 1 / std::sqrt(static_cast<double>(in[kV].extent[3]));
  std::vector<double> row = load_row(in[kState], at);
  for (int64_t t = 0; t < in[kV].extent[1]; ++t) {
    const std::vector<double> q = load_row(in[kQ], {batch, t, key_head});
    const std::vector<double> k = load_row(in[kK], {batch, t, key_head});
    const std::vector<double> gate = load_row(in[kGate], {batch, t, head});
    double known = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] *= std::exp(gate[per_channel ? i : 0]);
      known += row[i] * k[i];
    }
    const double delta = (load(in[kV], {batch, t, head, j}) - known) * load(in[kBeta], {batch, t, head, 0});
    double sum = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] += delta * k[i];
      sum += row[i] * q[i];
    }
    store(call.outputs[0], {batch, t, head, j}, sum * scale);
  }
  for (size_t i = 0; i < row.size(); ++i)
    store(call.outputs[1], {batch, head, j, static_cast<int64_t>(i)}, row[i]);
}

Status reference(const ReferenceCall& call) {
  for_each_index(call.inputs[kState], 3, [&](const Index& at) { run_row(call, at); });
  return {};
}

}  // namespace

const OpDefinition& gated_delta_net_op() {
  static const OpDefinition op{{.name = "GatedDeltaNet",
                                .inputs = {{"q", ir::InputKind::kFloat},
                                           {"k", ir::InputKind::kFloat},
                                           {"v", ir::InputKind::kFloat},
                                           {"gate", ir::InputKind::kFloat},
                                           {"beta", ir::InputKind::kFloat},
                                           {"state", ir::InputKind::kFloat}},
                                .make_attributes = ir::make_attributes<ir::NoAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
