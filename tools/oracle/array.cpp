#include "array.h"

#include <cstring>
#include <stdexcept>

namespace tenon::oracle {
namespace {

template <class T>
Array from_bytes(ggml_type type, const Extents& extents, std::span<const T> values) {
  if (count(extents) != static_cast<int64_t>(values.size())) {
    throw std::invalid_argument("[make_array] extents and number of values differ");
  }
  Array array{type, extents, std::vector<std::byte>(values.size_bytes())};
  std::memcpy(array.bytes.data(), values.data(), values.size_bytes());
  return array;
}

}  // namespace

int64_t count(const Extents& extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

Array make_array(ggml_type type, const Extents& extents, std::span<const float> values) {
  if (type == GGML_TYPE_F32) return from_bytes(type, extents, values);
  if (count(extents) != static_cast<int64_t>(values.size())) {
    throw std::invalid_argument("[make_array] extents and number of values differ");
  }
  const int64_t rows = count(extents) / extents[0];
  Array array{type, extents,
              std::vector<std::byte>(ggml_row_size(type, extents[0]) * static_cast<size_t>(rows))};
  ggml_quantize_chunk(type, values.data(), array.bytes.data(), 0, rows, extents[0], nullptr);
  return array;
}

Array make_i32(const Extents& extents, const std::vector<int32_t>& values) {
  return from_bytes(GGML_TYPE_I32, extents, std::span(values));
}

Array make_i64(const Extents& extents, const std::vector<int64_t>& values) {
  return from_bytes(GGML_TYPE_I64, extents, std::span(values));
}

Array dequantised(const Array& array) {
  if (array.type == GGML_TYPE_F32) return array;
  std::vector<float> values(static_cast<size_t>(count(array.extents)));
  ggml_get_type_traits(array.type)->to_float(array.bytes.data(), values.data(), count(array.extents));
  return make_array(GGML_TYPE_F32, array.extents, values);
}

std::string type_name(ggml_type type) { return ggml_type_name(type); }

}  // namespace tenon::oracle
