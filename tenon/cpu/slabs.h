// Views of several axes, cut into pieces whose rows lie at one distance: what most kernels walk.
#pragma once

#include <algorithm>
#include <array>

#include "tenon/cpu/rows_view.h"

namespace tenon::cpu {

// What lies at `index` of the first axis.
inline TensorRef part_of(const TensorRef& tensor, int64_t index) {
  TensorRef out = tensor;
  out.data += index * tensor.stride[0];
  --out.rank;
  std::copy_n(tensor.extent.begin() + 1, out.rank, out.extent.begin());
  std::copy_n(tensor.stride.begin() + 1, out.rank, out.stride.begin());
  return out;
}

// What `operand` has for `index` of the first axis of a tensor of `rank` axes over which it is broadcast.
inline TensorRef broadcast_part(const TensorRef& operand, int64_t index, int rank) {
  if (operand.rank < rank) return operand;
  return part_of(operand, operand.extent[0] == 1 ? 0 : index);
}

// Calls run(rows of each tensor) for the last axes of the first tensor along which the rows of all of them
// lie at one distance; the axes before them one index after the other.
template <size_t kCount, class Run>
Status for_each_slab(const std::array<TensorRef, kCount>& tensors, const Run& run) {
  std::array<RowsView, kCount> rows;
  bool walkable = true;
  for (size_t i = 0; i < kCount && walkable; ++i) {
    const Result<RowsView> view = rows_of(tensors[i]);
    if (!view.ok() && tensors[0].rank < 2) return view.error();
    walkable = view.ok();
    if (walkable) rows[i] = *view;
  }
  if (walkable) {
    run(rows);
    return {};
  }
  for (int64_t index = 0; index < tensors[0].extent[0]; ++index) {
    std::array<TensorRef, kCount> parts;
    for (size_t i = 0; i < kCount; ++i) parts[i] = broadcast_part(tensors[i], index, tensors[0].rank);
    TENON_RETURN_IF_ERROR(for_each_slab(parts, run));
  }
  return {};
}

}  // namespace tenon::cpu
