// A tensor that owns its memory: inputs and outputs of evaluate().
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tenon/type/tensor_ref.h"

namespace tenon::op {

struct HostTensor {
  ElementType element = ElementType::kF32;
  std::vector<int64_t> extents;  // at most kMaxRank
  std::vector<std::byte> bytes;  // contiguous

  // Zeros. Throws std::invalid_argument for a negative extent or a rank above kMaxRank.
  static HostTensor make(ElementType element, std::vector<int64_t> extents);
  // Values in order, rounded to a plain element type. Throws std::invalid_argument for a wrong count.
  static HostTensor of(ElementType element, std::vector<int64_t> extents, const std::vector<double>& values);

  int64_t element_count() const;
  // The elements as doubles, in order; block types are decoded.
  std::vector<double> values() const;
  TensorRef ref();
  // For reading alone.
  TensorRef view() const;
};

using HostTensors = std::map<std::string, HostTensor, std::less<>>;

}  // namespace tenon::op
