#include "tenon/op/broadcast.h"

#include "tenon/op/element_access.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  std::vector<Axis> target;
  for (const Dim& extent : node.attributes<BroadcastAttributes>().target) target.emplace_back(extent);
  TENON_ASSIGN(std::vector<Axis> axes, broadcast_axes(node, node.type(0).axes, target));
  if (axes.size() > kMaxRank) {
    return node.error("at most " + std::to_string(kMaxRank) + " axes", std::to_string(axes.size()));
  }
  return std::vector<TensorType>{{node.type(0).element, std::move(axes)}};
}

Status reference(const ReferenceCall& call) {
  const TensorRef& out = call.outputs[0];
  for_each_index(out, [&](const Index& at) {
    copy_element(out, at, call.inputs[0], broadcast_index(call.inputs[0], at, out.rank));
  });
  return {};
}

}  // namespace

const OpDefinition& broadcast_op() {
  static const OpDefinition op{{.name = "Broadcast",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<BroadcastAttributes>,
                                .infer = infer},
                               reference};
  return op;
}

}  // namespace tenon::op
