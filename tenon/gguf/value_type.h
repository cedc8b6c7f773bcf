// The types that a metadata value of a GGUF file can have.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::gguf {

// The numbers are those in the file.
enum class ValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

std::optional<ValueType> value_type_from_id(uint32_t id);
std::string_view name(ValueType type);  // "u8", "f32", "bool", "string", "array"
size_t number_bytes(ValueType type);    // bytes of one number or bool; 0 for strings and arrays
bool is_integer(ValueType type);        // u8 … u64, i8 … i64; not bool

template <class T>
concept Integer = std::same_as<T, uint8_t> || std::same_as<T, int8_t> || std::same_as<T, uint16_t> ||
    std::same_as<T, int16_t> || std::same_as<T, uint32_t> || std::same_as<T, int32_t> ||
    std::same_as<T, uint64_t> || std::same_as<T, int64_t>;

// What lies in the file as its plain little-endian bytes. A bool is not among them: its byte may hold any
// value.
template <class T>
concept Number = Integer<T> || std::same_as<T, float> || std::same_as<T, double>;

template <class T>
requires(Number<T> || std::same_as<T, bool>) constexpr ValueType value_type_of() {
  if constexpr (std::same_as<T, bool>)
    return ValueType::kBool;
  else if constexpr (std::same_as<T, float>)
    return ValueType::kF32;
  else if constexpr (std::same_as<T, double>)
    return ValueType::kF64;
  else if constexpr (std::same_as<T, uint8_t>)
    return ValueType::kU8;
  else if constexpr (std::same_as<T, int8_t>)
    return ValueType::kI8;
  else if constexpr (std::same_as<T, uint16_t>)
    return ValueType::kU16;
  else if constexpr (std::same_as<T, int16_t>)
    return ValueType::kI16;
  else if constexpr (std::same_as<T, uint32_t>)
    return ValueType::kU32;
  else if constexpr (std::same_as<T, int32_t>)
    return ValueType::kI32;
  else if constexpr (std::same_as<T, uint64_t>)
    return ValueType::kU64;
  else
    return ValueType::kI64;
}

}  // namespace tenon::gguf
