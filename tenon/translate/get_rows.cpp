#include "tenon/op/convert.h"
#include "tenon/op/gather.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/translate/expert_ids.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

bool has_ids_of_each_token(const TensorType& data, const TensorType& ids) {
  if (ids.rank() != 4 || ids.dim(2) == Dim(1)) return false;
  return data.rank() == 2 || (data.rank() == 4 && data.dim(1) == ids.dim(2));
}

Translation rows_of_each_token(NodeContext& context, const std::vector<ir::Value>& inputs) {
  TENON_ASSIGN(const ir::Value ids, expert_ids(context, inputs[1]));
  op::GatherAttributes gather;
  if (inputs[0].type().rank() == 4) gather.axis = gather.batch_dims = 2;
  TENON_ASSIGN(const ir::Value rows, context.build().add(op::gather_op(), {inputs[0], ids}, gather));
  return std::vector{rows};
}

}  // namespace

// The pattern that consumers look for: Unsqueeze(0) ← optional Convert ← Gather ← Squeeze(ids). The Gather's
// own axes stay whatever the ids' are ([1, T] here, [T, 1] after a pass that flattens tokens), and the
// literal 1 is a node of its own that such a pass can move.
//   table [V, F], ids [1, 1, 1, T]             -> [1, T, F] -> [1, 1, T, F]
//   activation [1, 1, T, F], ids [1, 1, 1, R]  -> [1, R, F] -> [1, 1, R, F]
//
// Ids for each token apart, as a router of experts has them, leave the tokens' axes as they are:
//   data [1, T, E, F] or [E, F], ids [1, 1, T, K]  -> [1, T, K, F]
Translation translate_get_rows(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(2));
  if (has_ids_of_each_token(inputs[0].type(), inputs[1].type())) return rows_of_each_token(context, inputs);
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
