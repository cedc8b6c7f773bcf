// Metadata of one architecture: keys "<architecture>.<name>", values checked for range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/gguf/metadata.h"

namespace tenon::arch {

class ArchitectureKeys {
 public:
  ArchitectureKeys(const gguf::Metadata& metadata, std::string_view architecture)
      : metadata_(metadata), architecture_(architecture) {}

  std::string key(std::string_view name) const { return architecture_ + "." + std::string(name); }
  bool contains(std::string_view name) const { return metadata_.contains(key(name)); }
  bool is_array(std::string_view name) const;

  // A count of at least 1 that fits 31 bits, so that products of two fit 64. An absent key is an error.
  Result<int64_t> count(std::string_view name) const;
  Result<int64_t> count(std::string_view name, int64_t fallback) const;
  // A count that may be absent or 0.
  Result<int64_t> count_or_zero(std::string_view name) const;
  // A count, where the file may hold one count per layer; `layers` equal ones are taken as one.
  Result<int64_t> layer_count(std::string_view name, int64_t layers) const;
  Result<int64_t> layer_count(std::string_view name, int64_t layers, int64_t fallback) const;
  // One count for each layer: an array of them, or one that holds for all.
  Result<std::vector<int64_t>> layer_counts(std::string_view name, int64_t layers) const;
  // An array of one flag for each layer: of bool, or of integers of which 0 is false.
  Result<std::vector<bool>> layer_flags(std::string_view name, int64_t layers) const;
  // A finite number of at least `minimum`.
  Result<double> number(std::string_view name, double minimum) const;
  Result<double> number(std::string_view name, double minimum, double fallback) const;
  Result<bool> boolean(std::string_view name, bool fallback) const;
  Result<std::string> string(std::string_view name, std::string_view fallback) const;

  Error invalid(std::string_view name, std::string wanted, std::string found) const;
  Error unsupported(std::string_view name, std::string wanted, std::string found) const;

 private:
  const gguf::Metadata& metadata_;
  std::string architecture_;
};

}  // namespace tenon::arch
