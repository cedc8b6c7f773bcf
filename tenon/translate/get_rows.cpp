#include "tenon/op/convert.h"
#include "tenon/op/gather.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

// The pattern that consumers look for: Unsqueeze(0) ← optional Convert ← Gather ← Squeeze(ids). The Gather's
// own axes stay whatever the ids' are ([1, T] here, [T, 1] after a pass that flattens tokens), and the
// literal 1 is a node of its own that such a pass can move.
//   table [V, F], ids [1, 1, 1, T]             -> [1, T, F] -> [1, 1, T, F]
//   activation [1, 1, T, F], ids [1, 1, 1, R]  -> [1, R, F] -> [1, 1, R, F]
Translation translate_get_rows(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(2));
  TENON_ASSIGN(const TensorType declared, context.declared_output(0));
  op::Builder& build = context.build();
  ir::Value data = inputs[0];
  op::GatherAttributes gather;
  if (data.type().rank() == 4) {
    op::SqueezeAttributes outermost;
    outermost.axes = {0};
    TENON_ASSIGN(data, build.add(op::squeeze_op(), {data}, outermost));
    gather.axis = 1;
    gather.batch_dims = 1;
  } else if (data.type().rank() != 2) {
    return context.unsupported("rows of a matrix or of an activation of rank 4", data.describe());
  }
  op::SqueezeAttributes leading;
  leading.axes = {0, 1};
  TENON_ASSIGN(const ir::Value ids, build.add(op::squeeze_op(), {inputs[1]}, leading));
  TENON_ASSIGN(ir::Value rows, build.add(op::gather_op(), {data, ids}, gather));
  if (rows.type().element != declared.element) {
    op::ConvertAttributes convert;
    convert.to = declared.element;
    TENON_ASSIGN(rows, build.add(op::convert_op(), {rows}, convert));
  }
  op::UnsqueezeAttributes outermost;
  outermost.axes = {0};
  TENON_ASSIGN(const ir::Value result, build.add(op::unsqueeze_op(), {rows}, outermost));
  return std::vector{result};
}

}  // namespace tenon::translate
