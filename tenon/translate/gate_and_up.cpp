#include "tenon/translate/gate_and_up.h"

#include "tenon/op/variadic_split.h"

namespace tenon::translate {

namespace {

// The halves of the last axis.
Result<std::vector<ir::Value>> split_in_two(NodeContext& context, ir::Value x) {
  const std::optional<int64_t> width = x.type().dim(-1).try_value();
  if (!width || *width % 2 != 0) return context.unsupported("an even constant last extent", x.describe());
  op::VariadicSplitAttributes split;
  split.axis = x.type().rank() - 1;
  const ir::Value lengths = context.build().integers({*width / 2, *width / 2});
  TENON_ASSIGN(ir::Node* const node, context.build().add_node(op::variadic_split_op(), {x, lengths}, split));
  return std::vector{node->output(0), node->output(1)};
}

}  // namespace

Result<std::vector<ir::Value>> gate_and_up(NodeContext& context, const decoder::GluAttributes& glu) {
  if (glu.split && glu.swapped) return context.unknown_case();  // two inputs have their order
  TENON_ASSIGN(std::vector<ir::Value> parts, context.inputs(glu.split ? 2 : 1));
  if (!glu.split) {
    TENON_ASSIGN(parts, split_in_two(context, parts[0]));
    if (glu.swapped) std::swap(parts[0], parts[1]);
  }
  return parts;
}

}  // namespace tenon::translate
