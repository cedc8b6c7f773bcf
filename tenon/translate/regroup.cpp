#include "tenon/translate/regroup.h"

#include "tenon/op/reshape.h"

namespace tenon::translate {

namespace {

// The declared extents: 0 (copy) where the input has the same one at that axis, -1 for one remaining symbol.
std::vector<Dim> explicit_target(const TensorType& from, const TensorType& to) {
  std::vector<Dim> target;
  bool inferred = false;
  for (int i = 0; i < to.rank(); ++i) {
    if (i < from.rank() && from.dim(i) == to.dim(i)) {
      target.emplace_back(0);
    } else if (!to.dim(i).is_constant() && !inferred) {
      inferred = true;
      target.emplace_back(-1);
    } else {
      target.push_back(to.dim(i));
    }
  }
  return target;
}

}  // namespace

Result<ir::Value> regroup(NodeContext& context, ir::Value x, const decoder::ReshapeAttributes& attributes,
                          const TensorType& declared) {
  op::ReshapeAttributes reshape;
  reshape.special_zero = true;
  const int64_t heads = attributes.heads;
  const int64_t head_size = attributes.head_size;
  switch (attributes.regroup) {
    case decoder::ReshapeCase::kSplitHeads:
      TENON_RETURN_IF_ERROR(context.check_heads(heads, head_size));
      reshape.target = {0, -1, heads, head_size};
      break;
    case decoder::ReshapeCase::kMergeHeads:
      TENON_RETURN_IF_ERROR(context.check_heads(heads, head_size));
      reshape.target = {0, 1, -1, heads * head_size};
      break;
    case decoder::ReshapeCase::kExplicit:
      if (x.type().dims() == declared.dims()) return x;
      reshape.target = explicit_target(x.type(), declared);
      break;
    default:
      return context.unknown_case();
  }
  return context.build().add(op::reshape_op(), {x}, reshape);
}

}  // namespace tenon::translate
