// A tensor seen as rows of its last axis, at one distance: what most kernels walk.
#pragma once

#include "tenon/base/result.h"
#include "tenon/type/tensor_ref.h"

namespace tenon::cpu {

struct RowsView {
  std::byte* data = nullptr;
  int64_t rows = 0;
  int64_t width = 0;   // elements
  int64_t stride = 0;  // bytes from row to row
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  int64_t stride_in(int64_t element_bytes) const { return stride / element_bytes; }
};

// Whether the elements of the last axis follow each other without gaps.
inline bool last_axis_packed(const TensorRef& tensor) {
  const auto last = static_cast<size_t>(tensor.rank - 1);
  return tensor.extent[last] == 1 || tensor.stride[last] == info(tensor.element).block_bytes;
}

// The error of a view that a kernel cannot walk.
Error strides_error();

// An error when the last axis has gaps or the rows lie at several distances.
Result<RowsView> rows_of(const TensorRef& tensor);

// The same of indices, i32 or i64.
struct IdRows : RowsView {
  ElementType type = ElementType::kI32;
  int64_t at(int64_t row, int64_t i) const {
    const std::byte* const first = data + row * stride;
    return type == ElementType::kI64 ? reinterpret_cast<const int64_t*>(first)[i]
                                     : reinterpret_cast<const int32_t*>(first)[i];
  }
  bool is_packed() const { return rows == 1 || stride == width * info(type).block_bytes; }
};
Result<IdRows> id_rows_of(const TensorRef& tensor);

}  // namespace tenon::cpu
