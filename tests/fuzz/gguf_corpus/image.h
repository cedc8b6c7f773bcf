// A GGUF file as bytes, with the places of its fields found by name, so that a case can break one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tenon/gguf/writer.h"

namespace tenon::gguf_corpus {

using Bytes = std::vector<std::byte>;

class Image {
 public:
  explicit Image(const gguf::Writer& writer) : bytes_(writer.to_bytes()) {}

  const Bytes& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  // Fields of the header.
  static constexpr size_t kVersion = 4, kTensorCount = 8, kKeyCount = 16, kEnd = 24;

  // Fields of a key or tensor, by its name; the name must occur once in the file.
  size_t length(std::string_view name) const { return characters(name) - 8; }
  size_t characters(std::string_view name) const;
  size_t value_type(std::string_view key) const { return characters(key) + key.size(); }
  size_t value(std::string_view key) const { return value_type(key) + 4; }
  size_t element_type(std::string_view key) const { return value(key); }
  size_t count(std::string_view key) const { return value(key) + 4; }
  size_t elements(std::string_view key) const { return value(key) + 12; }
  size_t rank(std::string_view tensor) const { return characters(tensor) + tensor.size(); }
  size_t extent(std::string_view tensor, size_t i) const { return rank(tensor) + 4 + 8 * i; }  // ne[i]
  size_t tensor_type(std::string_view tensor) const;
  size_t data_offset(std::string_view tensor) const { return tensor_type(tensor) + 4; }

  template <class T>
  T get(size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  Image& put(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  // Keeps the first `size` bytes.
  Image& cut(size_t size) {
    bytes_.resize(size);
    return *this;
  }

 private:
  Bytes bytes_;
};

}  // namespace tenon::gguf_corpus
