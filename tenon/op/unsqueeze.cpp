#include "tenon/op/unsqueeze.h"

#include <algorithm>

#include "tenon/op/regroup.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  TensorType out = node.type(0);
  const std::vector<int64_t>& given = node.attributes<UnsqueezeAttributes>().axes;
  const int rank = out.rank() + static_cast<int>(given.size());
  if (rank > kMaxRank) {
    return node.error("at most " + std::to_string(kMaxRank) + " axes", std::to_string(rank));
  }
  TENON_ASSIGN(std::vector<int> axes, normalize_axes(node, given, rank));
  std::sort(axes.begin(), axes.end());
  for (const int axis : axes) out.axes.insert(out.axes.begin() + axis, Axis(1));
  return std::vector<TensorType>{out};
}

}  // namespace

const OpDefinition& unsqueeze_op() {
  static const OpDefinition op{{.name = "Unsqueeze",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<UnsqueezeAttributes>,
                                .infer = infer},
                               copy_in_order};
  return op;
}

}  // namespace tenon::op
