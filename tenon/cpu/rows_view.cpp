#include "tenon/cpu/rows_view.h"

namespace tenon::cpu {

Error strides_error() {
  return {ErrorCode::kUnsupported, "tensor view", "rows at one distance, without gaps inside",
          "other strides", "run with --device ref"};
}

Result<RowsView> rows_of(const TensorRef& tensor) {
  RowsView out;
  out.data = tensor.data;
  out.rows = 1;
  const int last = tensor.rank - 1;
  if (last < 0) {
    out.width = 1;
    return out;
  }
  const ElementTypeInfo& element = info(tensor.element);
  out.width = tensor.extent[static_cast<size_t>(last)];
  out.stride = out.width / element.block_elements * element.block_bytes;
  if (out.width > element.block_elements && !last_axis_packed(tensor)) return strides_error();
  bool first = true;
  for (int axis = last - 1; axis >= 0; --axis) {
    const int64_t extent = tensor.extent[static_cast<size_t>(axis)];
    const int64_t stride = tensor.stride[static_cast<size_t>(axis)];
    if (extent == 1) continue;
    if (first)
      out.stride = stride;
    else if (stride != out.stride * out.rows)
      return strides_error();
    first = false;
    out.rows *= extent;
  }
  return out;
}

Result<IdRows> id_rows_of(const TensorRef& tensor) {
  TENON_ASSIGN(const RowsView rows, rows_of(tensor));
  return IdRows{rows, tensor.element};
}

}  // namespace tenon::cpu
