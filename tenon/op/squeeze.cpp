#include "tenon/op/squeeze.h"

#include <algorithm>

#include "tenon/op/regroup.h"
#include "tenon/op/shape_rule.h"

namespace tenon::op {

namespace {

InferredTypes infer(const ir::Inference& node) {
  TENON_RETURN_IF_ERROR(require_plain(node, 0));
  const TensorType& x = node.type(0);
  TENON_ASSIGN(const std::vector<int> axes,
               normalize_axes(node, node.attributes<SqueezeAttributes>().axes, x.rank()));
  TensorType out{x.element, {}};
  for (int i = 0; i < x.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      out.axes.push_back(x.axes[static_cast<size_t>(i)]);
    } else if (x.dim(i) != Dim(1)) {
      return node.error("extent 1 on axis " + std::to_string(i), x.to_string());
    }
  }
  return std::vector<TensorType>{out};
}

}  // namespace

const OpDefinition& squeeze_op() {
  static const OpDefinition op{{.name = "Squeeze",
                                .inputs = {{"x"}},
                                .make_attributes = ir::make_attributes<SqueezeAttributes>,
                                .infer = infer},
                               copy_in_order};
  return op;
}

}  // namespace tenon::op
