// A tensor in memory, as kernels and reference functions see it: address, type, extents, strides. Owns
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tenon/type/element_type.h"

namespace tenon {

inline constexpr int kMaxRank = 5;

// Axes from outermost to innermost. Strides are bytes from one index to the next; for a block type the
// innermost stride is that of a block and its extent still counts elements.
struct TensorRef {
  std::byte* data = nullptr;
  ElementType element = ElementType::kF32;
  int rank = 0;
  std::array<int64_t, kMaxRank> extent{};
  std::array<int64_t, kMaxRank> stride{};

  int64_t element_count() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= extent[i];
    return count;
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

// Sets the strides of a tensor that lies without gaps, innermost axis last.
inline void set_contiguous_strides(TensorRef& tensor) {
  int64_t stride = info(tensor.element).block_bytes;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.stride[i] = stride;
    stride *=
        i == tensor.rank - 1 ? tensor.extent[i] / info(tensor.element).block_elements : tensor.extent[i];
  }
}

inline bool is_contiguous(const TensorRef& tensor) {
  TensorRef packed = tensor;
  set_contiguous_strides(packed);
  for (int i = 0; i < tensor.rank; ++i) {
    if (tensor.extent[i] != 1 && tensor.stride[i] != packed.stride[i]) return false;
  }
  return true;
}

}  // namespace tenon
