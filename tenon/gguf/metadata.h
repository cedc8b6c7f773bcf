// The key-value section of a GGUF file, read through typed accessors.
//
// Conversion rule: an integer of any width and sign answers a question for an integer when the value fits;
// f32 and f64 answer a question for a floating number. Nothing else converts: a float for an integer, an
// integer for a float, a bool for a number, a string for a number are errors that name the key, the found and
// the wanted type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/gguf/value_type.h"

namespace tenon::gguf {

// One key with its value, as views into the file.
struct MetadataEntry {
  std::string_view key;
  ValueType type = ValueType::kU8;     // kArray for arrays
  ValueType element = ValueType::kU8;  // of an array's elements; the same as `type` for a single value
  uint64_t count = 1;                  // elements of an array; 1 for a single value
  // The value as it lies in the file, unaligned: `count` numbers, or `count` strings of u64 length +
  // characters.
  std::span<const std::byte> payload;
  uint64_t offset = 0;  // of the payload in the file
};

class Metadata {
 public:
  Metadata() = default;
  // Keys must differ (the reader has checked it); the first of two equal ones would win.
  explicit Metadata(std::vector<MetadataEntry> entries);

  std::span<const MetadataEntry> entries() const { return entries_; }  // in the file's order
  const MetadataEntry* find(std::string_view key) const;               // nullptr when absent
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  // Single values. Without a fallback an absent key is an error; with one it gives the fallback, and a
  // present value of a wrong type is still an error.
  Result<uint64_t> unsigned_integer(std::string_view key) const;
  Result<uint64_t> unsigned_integer(std::string_view key, uint64_t fallback) const;
  Result<int64_t> signed_integer(std::string_view key) const;
  Result<int64_t> signed_integer(std::string_view key, int64_t fallback) const;
  Result<double> floating(std::string_view key) const;
  Result<double> floating(std::string_view key, double fallback) const;
  Result<bool> boolean(std::string_view key) const;  // any byte but 0 is true
  Result<bool> boolean(std::string_view key, bool fallback) const;
  Result<std::string_view> string(
      std::string_view key) const;  // bytes of the file; may hold any byte, NUL too
  Result<std::string_view> string(std::string_view key, std::string_view fallback) const;

  // Arrays. The numbers lie unaligned in the file, so they come as copies; strings stay views.
  // array<float>("tokenizer.ggml.scores"): the element type must be exactly T.
  template <Number T>
  Result<std::vector<T>> array(std::string_view key) const;
  // Any integer element type, or only those of `accepted` when it names some; every value must fit i64.
  Result<std::vector<int64_t>> integers(std::string_view key,
                                        std::initializer_list<ValueType> accepted = {}) const;
  Result<std::vector<bool>> booleans(std::string_view key) const;
  Result<std::vector<std::string_view>> strings(std::string_view key) const;

  // general.architecture, which every model file has.
  Result<std::string_view> architecture() const { return string("general.architecture"); }

 private:
  std::vector<MetadataEntry> entries_;
  std::unordered_map<std::string_view, size_t> index_;
};

}  // namespace tenon::gguf
