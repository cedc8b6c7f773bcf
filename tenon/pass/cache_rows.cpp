#include "tenon/pass/cache_rows.h"

#include "tenon/op/build.h"
#include "tenon/op/reshape.h"

namespace tenon::pass {

Status check_rows_layout(const TensorType& rows, const TensorType& cache, int axis,
                         const std::string& prefix) {
  for (int i = 0; i < axis; ++i) {
    if (cache.dim(i) == Dim(1) || (i < rows.rank() && rows.dim(i) == cache.dim(i))) continue;
    return Error{ErrorCode::kInvalidGraph, "SetRows '" + prefix + "'",
                 "rows whose axes before the token axis are those of " + cache.to_string(), rows.to_string(),
                 ""};
  }
  return {};
}

Result<ir::Value> rows_in_layout(ir::Model& model, ir::Value rows, const TensorType& cache, int axis,
                                 const std::string& prefix) {
  const TensorType& type = rows.type();
  TENON_RETURN_IF_ERROR(check_rows_layout(type, cache, axis, prefix));
  bool same = type.rank() == cache.rank();
  op::ReshapeAttributes reshape;
  reshape.special_zero = true;
  for (int i = 0; i < cache.rank(); ++i) {
    if (i == axis) {
      reshape.target.emplace_back(-1);
      continue;
    }
    const bool copied = i < axis && i < type.rank() && type.dim(i) == cache.dim(i);
    reshape.target.push_back(copied ? Dim(0) : cache.dim(i));
    same = same && type.dim(i) == cache.dim(i);
  }
  if (same) return rows;
  return op::Builder(model, prefix).add(op::reshape_op(), {rows}, reshape);
}

std::string base_name(const ir::Node& node) { return node.name().substr(0, node.name().rfind('/')); }

}  // namespace tenon::pass
