// Writes GGUF files: keys and tensors in the order in which they were added, so that equal calls give equal
// bytes. Misuse (an empty or doubled name, data of a wrong size) throws std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/gguf/metadata.h"
#include "tenon/gguf/value_type.h"
#include "tenon/type/element_type.h"

namespace tenon::gguf {

class Writer {
 public:
  using Fill = std::function<void(std::span<std::byte> data)>;
  // Makes the bytes of a tensor from `offset` on; whole blocks, in order, each byte once at each writing.
  using Part = std::function<void(uint64_t offset, std::span<std::byte> data)>;
  // Takes the bytes of the file in order; false: enough.
  using Sink = std::function<bool(std::span<const std::byte>)>;

  explicit Writer(uint32_t version = 3);  // 2 or 3
  // Writes the key general.alignment; a power of two. Without the call the key is left out and 32 holds.
  Writer& set_alignment(uint32_t alignment);

  // Metadata. The value's type in the file is exactly T: set("llama.block_count", uint32_t{2}).
  template <class T>
  requires(Number<T> || std::same_as<T, bool>) Writer& set(std::string_view key, T value);
  template <class T>
  requires(Number<T> || std::same_as<T, bool>) Writer& set(std::string_view key,
                                                           const std::vector<T>& values);
  Writer& set(std::string_view key, std::string_view value);
  Writer& set(std::string_view key, const std::vector<std::string>& values);

  // `extents` outermost first, as TensorInfo::extents; `data` is copied and must have bytes_for(product)
  // bytes.
  Writer& add_tensor(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                     std::span<const std::byte> data);
  // `fill` is called at each writing with the tensor's zeroed bytes, so that one tensor at a time is in
  // memory.
  Writer& add_tensor(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                     Fill fill);
  // The same for tensors that are too large for memory: `part` is called for some MiB at a time.
  Writer& add_tensor_in_parts(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                              Part part);
  // A key as it lies in another file.
  Writer& copy(const MetadataEntry& entry);

  // What write() and to_bytes() go through.
  void stream(const Sink& sink) const;
  std::vector<std::byte> to_bytes() const;
  Status write(const std::string& path) const;  // UTF-8 path; kIo naming it
  std::vector<std::byte> head() const;          // what comes before the data, padding included
  uint64_t file_bytes() const;                  // head and data

 private:
  struct Tensor {
    std::string name;
    ElementType element;
    std::vector<int64_t> extents;
    size_t bytes;
    size_t part_bytes;  // at most so many are made at a time
    Part part;
  };

  void begin_key(std::string_view key);
  Writer& add(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
              size_t part_bytes, Part part);

  uint32_t version_;
  uint32_t alignment_ = 32;
  std::vector<std::string> keys_;
  std::vector<std::byte> metadata_;  // the records so far, as they go into the file
  std::vector<Tensor> tensors_;
};

}  // namespace tenon::gguf
