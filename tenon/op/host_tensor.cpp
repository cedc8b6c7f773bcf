#include "tenon/op/host_tensor.h"

#include <algorithm>
#include <stdexcept>

#include "tenon/op/element_access.h"

namespace tenon::op {

HostTensor HostTensor::make(ElementType element, std::vector<int64_t> extents) {
  if (extents.size() > kMaxRank) throw std::invalid_argument("[HostTensor::make] more than kMaxRank axes");
  for (const int64_t extent : extents) {
    if (extent < 0) throw std::invalid_argument("[HostTensor::make] extent " + std::to_string(extent));
  }
  HostTensor out{element, std::move(extents), {}};
  out.bytes.resize(bytes_for(element, out.element_count()));
  return out;
}

HostTensor HostTensor::of(ElementType element, std::vector<int64_t> extents,
                          const std::vector<double>& values) {
  HostTensor out = make(element, std::move(extents));
  if (static_cast<int64_t>(values.size()) != out.element_count()) {
    throw std::invalid_argument("[HostTensor::of] " + std::to_string(values.size()) + " values for " +
                                std::to_string(out.element_count()) + " elements");
  }
  const TensorRef to = out.ref();
  size_t place = 0;
  for_each_index(to, [&](const Index& at) {
    const double value = values[place++];
    if (is_float(element)) {
      store(to, at, value);
    } else {
      store_integer(to, at, static_cast<int64_t>(value));
    }
  });
  return out;
}

int64_t HostTensor::element_count() const { return view().element_count(); }

std::vector<double> HostTensor::values() const { return load_all(view()); }

TensorRef HostTensor::ref() {
  TensorRef out{bytes.data(), element, static_cast<int>(extents.size()), {}, {}};
  std::copy(extents.begin(), extents.end(), out.extent.begin());
  set_contiguous_strides(out);
  return out;
}

TensorRef HostTensor::view() const { return const_cast<HostTensor*>(this)->ref(); }

}  // namespace tenon::op
