#include "tenon/op/element_access.h"

#include <cstring>
#include <stdexcept>

#include "tenon/quant/bf16.h"
#include "tenon/quant/block_format.h"
#include "tenon/quant/f16.h"

namespace tenon::op {

namespace {

std::byte* address(const TensorRef& tensor, const Index& at) {
  int64_t offset = 0;
  for (int i = 0; i < tensor.rank; ++i) {
    offset += at[static_cast<size_t>(i)] * tensor.stride[static_cast<size_t>(i)];
  }
  return tensor.data + offset;
}

template <class T>
T read(const std::byte* from) {
  T out;
  std::memcpy(&out, from, sizeof(T));
  return out;
}

template <class T>
void write(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

[[noreturn]] void reject(std::string_view function, ElementType element) {
  throw std::logic_error("[" + std::string(function) + "] cannot take " + std::string(name(element)));
}

}  // namespace

double load(const TensorRef& tensor, const Index& at) {
  const std::byte* const from = address(tensor, at);
  switch (tensor.element) {
    case ElementType::kF32:
      return read<float>(from);
    case ElementType::kF16:
      return quant::f16_to_f32(read<uint16_t>(from));
    case ElementType::kBF16:
      return quant::bf16_to_f32(read<uint16_t>(from));
    case ElementType::kF64:
      return read<double>(from);
    default:
      return static_cast<double>(load_integer(tensor, at));
  }
}

int64_t load_integer(const TensorRef& tensor, const Index& at) {
  const std::byte* const from = address(tensor, at);
  switch (tensor.element) {
    case ElementType::kI8:
      return read<int8_t>(from);
    case ElementType::kI16:
      return read<int16_t>(from);
    case ElementType::kI32:
      return read<int32_t>(from);
    case ElementType::kI64:
      return read<int64_t>(from);
    case ElementType::kU8:
    case ElementType::kBool:
      return read<uint8_t>(from);
    default:
      reject("load_integer", tensor.element);
  }
}

void store(const TensorRef& tensor, const Index& at, double value) {
  std::byte* const to = address(tensor, at);
  switch (tensor.element) {
    case ElementType::kF32:
      return write(to, static_cast<float>(value));
    case ElementType::kF16:
      return write(to, quant::f32_to_f16(static_cast<float>(value)));
    case ElementType::kBF16:
      return write(to, quant::f32_to_bf16(static_cast<float>(value)));
    case ElementType::kF64:
      return write(to, value);
    default:
      reject("store", tensor.element);
  }
}

void store_integer(const TensorRef& tensor, const Index& at, int64_t value) {
  std::byte* const to = address(tensor, at);
  switch (tensor.element) {
    case ElementType::kI8:
      return write(to, static_cast<int8_t>(value));
    case ElementType::kI16:
      return write(to, static_cast<int16_t>(value));
    case ElementType::kI32:
      return write(to, static_cast<int32_t>(value));
    case ElementType::kI64:
      return write(to, value);
    case ElementType::kU8:
    case ElementType::kBool:
      return write(to, static_cast<uint8_t>(value));
    default:
      reject("store_integer", tensor.element);
  }
}

void copy_element(const TensorRef& to, const Index& to_at, const TensorRef& from, const Index& from_at) {
  std::memmove(address(to, to_at), address(from, from_at), static_cast<size_t>(info(to.element).block_bytes));
}

std::vector<double> load_row(const TensorRef& tensor, Index at) {
  const auto last = static_cast<size_t>(tensor.rank - 1);
  std::vector<double> out(static_cast<size_t>(tensor.extent[last]));
  if (is_block(tensor.element)) {
    at[last] = 0;
    std::vector<float> decoded(out.size());
    quant::block_format(tensor.element).decode_row(address(tensor, at), decoded.data(), tensor.extent[last]);
    out.assign(decoded.begin(), decoded.end());
    return out;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    at[last] = static_cast<int64_t>(i);
    out[i] = load(tensor, at);
  }
  return out;
}

std::vector<double> load_all(const TensorRef& tensor) {
  if (tensor.rank == 0) return {load(tensor, {})};
  std::vector<double> out;
  for_each_index(tensor, tensor.rank - 1, [&](const Index& at) {
    const std::vector<double> row = load_row(tensor, at);
    out.insert(out.end(), row.begin(), row.end());
  });
  return out;
}

Index broadcast_index(const TensorRef& input, const Index& at, int rank) {
  Index out{};
  for (int i = 0; i < input.rank; ++i) {
    const auto axis = static_cast<size_t>(i);
    out[axis] = input.extent[axis] == 1 ? 0 : at[static_cast<size_t>(i + rank - input.rank)];
  }
  return out;
}

Error index_error(std::string_view op, int64_t index, int64_t extent) {
  return {ErrorCode::kInvalidArgument, std::string(op), "an index in [0, " + std::to_string(extent) + ")",
          std::to_string(index), ""};
}

}  // namespace tenon::op
