#include "tenon/arch/blocks/architecture_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::arch {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();

}  // namespace

bool ArchitectureKeys::is_array(std::string_view name) const {
  const gguf::MetadataEntry* const entry = metadata_.find(key(name));
  return entry != nullptr && entry->type == gguf::ValueType::kArray;
}

Error ArchitectureKeys::invalid(std::string_view name, std::string wanted, std::string found) const {
  return {ErrorCode::kInvalidFile, key(name), std::move(wanted), std::move(found), ""};
}

Error ArchitectureKeys::unsupported(std::string_view name, std::string wanted, std::string found) const {
  return {ErrorCode::kUnsupported, key(name), std::move(wanted), std::move(found), ""};
}

Result<int64_t> ArchitectureKeys::count(std::string_view name) const {
  TENON_ASSIGN(const uint64_t value, metadata_.unsigned_integer(key(name)));
  if (value < 1 || value > static_cast<uint64_t>(kMaxCount)) {
    return invalid(name, "a count from 1 to " + std::to_string(kMaxCount), std::to_string(value));
  }
  return static_cast<int64_t>(value);
}

Result<int64_t> ArchitectureKeys::count(std::string_view name, int64_t fallback) const {
  return contains(name) ? count(name) : fallback;
}

Result<int64_t> ArchitectureKeys::count_or_zero(std::string_view name) const {
  TENON_ASSIGN(const uint64_t value, metadata_.unsigned_integer(key(name), 0));
  return value == 0 ? int64_t{0} : count(name);
}

Result<std::vector<int64_t>> ArchitectureKeys::layer_counts(std::string_view name, int64_t layers) const {
  if (!is_array(name)) {
    TENON_ASSIGN(const int64_t same, count(name));
    return std::vector<int64_t>(static_cast<size_t>(layers), same);
  }
  TENON_ASSIGN(std::vector<int64_t> counts, metadata_.integers(key(name)));
  if (static_cast<int64_t>(counts.size()) != layers) {
    return invalid(name, std::to_string(layers) + " counts, one for each layer",
                   std::to_string(counts.size()));
  }
  for (const int64_t value : counts) {
    if (value < 1 || value > kMaxCount) {
      return invalid(name, "counts from 1 to " + std::to_string(kMaxCount), std::to_string(value));
    }
  }
  return counts;
}

Result<int64_t> ArchitectureKeys::layer_count(std::string_view name, int64_t layers) const {
  if (!is_array(name)) return count(name);
  TENON_ASSIGN(const std::vector<int64_t> counts, layer_counts(name, layers));
  for (const int64_t value : counts) {
    if (value != counts.front()) {
      return unsupported(name, "the same count in every layer",
                         std::to_string(counts.front()) + " and " + std::to_string(value));
    }
  }
  return counts.front();
}

Result<int64_t> ArchitectureKeys::layer_count(std::string_view name, int64_t layers, int64_t fallback) const {
  return contains(name) ? layer_count(name, layers) : fallback;
}

Result<std::vector<bool>> ArchitectureKeys::layer_flags(std::string_view name, int64_t layers) const {
  std::vector<bool> out;
  const gguf::MetadataEntry* const entry = metadata_.find(key(name));
  if (entry != nullptr && entry->element == gguf::ValueType::kBool) {
    TENON_ASSIGN(out, metadata_.booleans(key(name)));
  } else {
    TENON_ASSIGN(const std::vector<int64_t> numbers, metadata_.integers(key(name)));
    for (const int64_t number : numbers) out.push_back(number != 0);
  }
  if (static_cast<int64_t>(out.size()) == layers) return out;
  return invalid(name, std::to_string(layers) + " flags, one for each layer", std::to_string(out.size()));
}

Result<double> ArchitectureKeys::number(std::string_view name, double minimum) const {
  TENON_ASSIGN(const double value, metadata_.floating(key(name)));
  if (!std::isfinite(value) || value < minimum) {
    return invalid(name, "a finite number of at least " + std::to_string(minimum), std::to_string(value));
  }
  return value;
}

Result<double> ArchitectureKeys::number(std::string_view name, double minimum, double fallback) const {
  return contains(name) ? number(name, minimum) : fallback;
}

Result<bool> ArchitectureKeys::boolean(std::string_view name, bool fallback) const {
  return metadata_.boolean(key(name), fallback);
}

Result<std::string> ArchitectureKeys::string(std::string_view name, std::string_view fallback) const {
  TENON_ASSIGN(const std::string_view value, metadata_.string(key(name), fallback));
  return std::string(value);
}

}  // namespace tenon::arch
