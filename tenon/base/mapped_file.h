// A file mapped read-only into memory. Whoever keeps the pointer keeps the mapping, so that views into it
// (names, weights) need no copy.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "tenon/base/result.h"

namespace tenon {

class MappedFile {
 public:
  // `path` is UTF-8, handed to the operating system byte by byte as given. Only regular files can be mapped;
  // an empty one gives an empty span. Errors: kIo, naming the path and the system's reason.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& path() const { return path_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(std::string path, const std::byte* data, size_t size);
  std::string path_;
  const std::byte* data_;
  size_t size_;
};

}  // namespace tenon
