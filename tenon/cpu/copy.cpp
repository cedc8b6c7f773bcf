#include "tenon/cpu/copy.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {

namespace {

// [rows, columns] of elements at any distances.
struct Plane {
  const std::byte* from;
  std::byte* to;
  int64_t from_row, from_column, to_row, to_column;  // strides, bytes
};

// In squares, so that of a transposed view neither side leaves the cache before its line is used up.
template <size_t kBytes>
void copy_plane(const Plane& plane, int64_t row_begin, int64_t row_end, int64_t columns) {
  constexpr int64_t kSide = 16;
  for (int64_t row = row_begin; row < row_end; row += kSide) {
    const int64_t rows = std::min(row_end, row + kSide);
    for (int64_t column = 0; column < columns; column += kSide) {
      const int64_t last = std::min(columns, column + kSide);
      for (int64_t r = row; r < rows; ++r) {
        for (int64_t c = column; c < last; ++c) {
          std::memcpy(plane.to + r * plane.to_row + c * plane.to_column,
                      plane.from + r * plane.from_row + c * plane.from_column, kBytes);
        }
      }
    }
  }
}

void copy_rows(const Plane& plane, int64_t begin, int64_t end, int64_t columns, int64_t bytes) {
  if (plane.from_column == bytes && plane.to_column == bytes) {
    for (int64_t r = begin; r < end; ++r) {
      std::memcpy(plane.to + r * plane.to_row, plane.from + r * plane.from_row,
                  static_cast<size_t>(columns * bytes));
    }
  } else if (bytes == 1) {
    copy_plane<1>(plane, begin, end, columns);
  } else if (bytes == 2) {
    copy_plane<2>(plane, begin, end, columns);
  } else if (bytes == 4) {
    copy_plane<4>(plane, begin, end, columns);
  } else {
    copy_plane<8>(plane, begin, end, columns);
  }
}

}  // namespace

void copy_elements(const TensorRef& from, const TensorRef& to, const Worker& worker) {
  const int64_t bytes = info(from.element).block_bytes;
  const auto last = static_cast<size_t>(std::max(from.rank - 1, 0)),
             row = static_cast<size_t>(std::max(from.rank - 2, 0));
  const int64_t columns = from.rank > 0 ? from.extent[last] : 1;
  const int64_t rows = from.rank > 1 ? from.extent[row] : 1;
  int64_t planes = 1;
  for (int axis = 0; axis < from.rank - 2; ++axis) planes *= from.extent[static_cast<size_t>(axis)];
  const Worker::Range share = worker.share(rows);
  for (int64_t index = 0; index < planes; ++index) {
    Plane plane{from.data, to.data, 0, bytes, 0, bytes};
    int64_t rest = index;
    for (int axis = from.rank - 3; axis >= 0; --axis) {
      const auto i = static_cast<size_t>(axis);
      plane.from += rest % from.extent[i] * from.stride[i];
      plane.to += rest % from.extent[i] * to.stride[i];
      rest /= from.extent[i];
    }
    if (from.rank > 0) {
      plane.from_column = from.stride[last];
      plane.to_column = to.stride[last];
    }
    if (from.rank > 1) {
      plane.from_row = from.stride[row];
      plane.to_row = to.stride[row];
    }
    copy_rows(plane, share.begin, share.end, columns, bytes);
  }
}

}  // namespace tenon::cpu
