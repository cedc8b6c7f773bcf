// What `make oracle` left in the cache folder. A missing file throws std::runtime_error naming that command.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "tenon/base/mapped_file.h"

namespace tenon::checkpoints {

// ${XDG_CACHE_HOME:-$HOME/.cache}/tenon/oracle/<name>, which must be there.
std::filesystem::path oracle_path(const std::filesystem::path& name);

// A .npy file of two axes, or one (then of one row), mapped.
template <class T>
class NpyFile {
 public:
  explicit NpyFile(const std::filesystem::path& path);
  size_t rows() const { return rows_; }
  std::span<const T> row(size_t index) const { return {data_ + index * width_, width_}; }

 private:
  std::shared_ptr<const MappedFile> file_;
  const T* data_ = nullptr;
  size_t rows_ = 0, width_ = 0;
};

}  // namespace tenon::checkpoints
