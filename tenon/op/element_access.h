// Reading and writing single elements of strided tensors of any type, for the references.
#pragma once

#include <array>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/type/tensor_ref.h"

namespace tenon::op {

using Index = std::array<int64_t, kMaxRank>;

// A plain float or integer as double.
double load(const TensorRef& tensor, const Index& at);
int64_t load_integer(const TensorRef& tensor, const Index& at);
// Rounds to nearest even; for float types.
void store(const TensorRef& tensor, const Index& at, double value);
// Keeps the low bits; for integer types.
void store_integer(const TensorRef& tensor, const Index& at, int64_t value);
// Bit for bit between tensors of one plain type.
void copy_element(const TensorRef& to, const Index& to_at, const TensorRef& from, const Index& from_at);

// All elements along the last axis at the leading indices of `at`; block types are decoded.
std::vector<double> load_row(const TensorRef& tensor, Index at);
// All elements, in order; block types are decoded.
std::vector<double> load_all(const TensorRef& tensor);

// Where numpy broadcasting reads `input` for the element `at` of an output of `rank` axes.
Index broadcast_index(const TensorRef& input, const Index& at, int rank);

// Calls f(index) for every element of the first `rank` axes, the last of them fastest.
template <class F>
void for_each_index(const TensorRef& tensor, int rank, F&& f) {
  for (int i = 0; i < rank; ++i) {
    if (tensor.extent[static_cast<size_t>(i)] == 0) return;
  }
  Index at{};
  for (;;) {
    f(static_cast<const Index&>(at));
    int axis = rank - 1;
    for (; axis >= 0; --axis) {
      if (++at[static_cast<size_t>(axis)] < tensor.extent[static_cast<size_t>(axis)]) break;
      at[static_cast<size_t>(axis)] = 0;
    }
    if (axis < 0) return;
  }
}
template <class F>
void for_each_index(const TensorRef& tensor, F&& f) {
  for_each_index(tensor, tensor.rank, std::forward<F>(f));
}

// The error of an index that is outside of its axis.
Error index_error(std::string_view op, int64_t index, int64_t extent);

}  // namespace tenon::op
