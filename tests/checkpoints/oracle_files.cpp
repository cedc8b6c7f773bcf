#include "tests/checkpoints/oracle_files.h"

#include <cstdlib>
#include <regex>
#include <stdexcept>

namespace tenon::checkpoints {

std::filesystem::path oracle_path(const std::filesystem::path& name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base =
      cache && *cache ? std::filesystem::path(cache) : std::filesystem::path(home ? home : "/") / ".cache";
  std::filesystem::path path = base / "tenon" / "oracle" / name;
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(path.string() +
                             " is missing: run `make oracle` (builds llama.cpp and scores the models)");
  }
  return path;
}

namespace {

template <class T>
constexpr const char* kTypeCode = nullptr;
template <>
constexpr const char* kTypeCode<float> = "<f4";
template <>
constexpr const char* kTypeCode<int32_t> = "<i4";

}  // namespace

// Version 1 of the format: magic, u16 length of a header that is a Python dictionary, data.
template <class T>
NpyFile<T>::NpyFile(const std::filesystem::path& path) : file_(MappedFile::open(path.string()).value()) {
  constexpr size_t kPrefix = 10;
  const auto* bytes = reinterpret_cast<const unsigned char*>(file_->data());
  const size_t header = file_->size() < kPrefix ? 0 : size_t{bytes[8]} | size_t{bytes[9]} << 8;
  const std::string text(reinterpret_cast<const char*>(bytes) + kPrefix, header);
  std::smatch shape;
  const bool known = std::regex_search(text, shape, std::regex(R"(\((\d+),\s*(\d*)\))")) &&
                     text.find(kTypeCode<T>) != std::string::npos &&
                     text.find("'fortran_order': False") != std::string::npos;
  if (!known)
    throw std::runtime_error(path.string() + ": wanted an array of " + kTypeCode<T> + ", found " + text);
  rows_ = shape[2].length() == 0 ? 1 : std::stoul(shape[1]);
  width_ = std::stoul(shape[2].length() == 0 ? shape[1] : shape[2]);
  if (file_->size() != kPrefix + header + rows_ * width_ * sizeof(T)) {
    throw std::runtime_error(path.string() +
                             ": its size does not fit its shape; remove it and run `make oracle`");
  }
  data_ = reinterpret_cast<const T*>(bytes + kPrefix + header);
}

template class NpyFile<float>;
template class NpyFile<int32_t>;

}  // namespace tenon::checkpoints
