// The captured cases of tests/golden/ops, for the kernels' tests.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"

namespace tenon::cpu {

class OpCapture {
 public:
  // Throws when the file is missing or has no cases.
  explicit OpCapture(const std::string& op)
      : file_(gguf::File::open(TENON_SOURCE_DIR "/tests/golden/ops/" + op + ".gguf").value()),
        names_(file_->metadata().strings("cases").value()) {
    if (names_.empty()) throw std::runtime_error("no cases of " + op);
  }

  size_t size() const { return names_.size(); }
  std::string_view name(size_t i) const { return names_[i]; }

  bool has(size_t i, const std::string& tensor) const {
    return file_->find_tensor(key(i, tensor)) != nullptr;
  }
  // Extents outermost first.
  const gguf::TensorInfo& tensor(size_t i, const std::string& tensor) const {
    return *file_->tensor(key(i, tensor)).value();
  }
  template <class T>
  std::vector<T> values(size_t i, const std::string& name) const {
    const std::span<const std::byte> data = tensor(i, name).data;
    std::vector<T> out(data.size() / sizeof(T));
    std::memcpy(out.data(), data.data(), data.size());
    return out;
  }

  std::string_view text(size_t i, const std::string& attribute) const {
    return file_->metadata().string(key(i, "attribute." + attribute)).value();
  }
  int64_t integer(size_t i, const std::string& attribute) const {
    return file_->metadata().signed_integer(key(i, "attribute." + attribute)).value();
  }
  float number(size_t i, const std::string& attribute) const {
    return static_cast<float>(file_->metadata().floating(key(i, "attribute." + attribute)).value());
  }

 private:
  static std::string key(size_t i, const std::string& rest) {
    return "case" + std::to_string(i) + "." + rest;
  }

  std::shared_ptr<const gguf::File> file_;
  std::vector<std::string_view> names_;
};

}  // namespace tenon::cpu
