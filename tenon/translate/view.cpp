#include "tenon/op/variadic_split.h"
#include "tenon/translate/regroup.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// `length` entries of one axis from `start` on, which may be a symbol where they are the last ones.
Result<ir::Value> take(NodeContext& context, ir::Value x, const decoder::ViewAttributes& view) {
  if (view.axis < 0) return x;
  if (view.axis >= x.type().rank())
    return context.invalid("an axis " + std::to_string(view.axis), x.describe());
  const Dim extent = x.type().dim(view.axis);
  if (view.start == Dim(0) && view.length == extent) return x;
  const auto start = view.start.try_value(), length = view.length.try_value();
  std::vector<int64_t> lengths;  // before, the view itself, after
  int port = 0;
  if (length && *length >= 0 && view.start + view.length == extent) {
    lengths = {-1, *length};  // the last ones, however many there are before
    port = 1;
  } else if (start && length && *start >= 0 && *length >= 0) {
    if (*start > 0) lengths.push_back(*start);
    port = static_cast<int>(lengths.size());
    lengths.push_back(*length);
    lengths.push_back(-1);
  } else {
    return context.unsupported(
        "a view of constant length from a constant start or up to the end",
        view.length.to_string() + " from " + view.start.to_string() + " of " + x.describe());
  }
  op::VariadicSplitAttributes split;
  split.axis = view.axis;
  const ir::Value parts = context.build().integers(std::move(lengths));
  TENON_ASSIGN(ir::Node* const node, context.build().add_node(op::variadic_split_op(), {x, parts}, split));
  return node->output(port);
}

}  // namespace

Translation translate_view(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(1));
  TENON_ASSIGN(const auto view, context.attributes<decoder::ViewAttributes>());
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  TENON_ASSIGN(const ir::Value part, take(context, inputs[0], view));
  TENON_ASSIGN(const ir::Value result, regroup(context, part, view.reshape, declared));
  return std::vector{result};
}

}  // namespace tenon::translate
