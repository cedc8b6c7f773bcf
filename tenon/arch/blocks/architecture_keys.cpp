#include "tenon/arch/blocks/architecture_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::arch {

namespace {

constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();

}  // namespace

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

Result<int64_t> ArchitectureKeys::layer_count(std::string_view name, int64_t layers) const {
  const gguf::MetadataEntry* entry = metadata_.find(key(name));
  if (entry == nullptr || entry->type != gguf::ValueType::kArray) return count(name);
  TENON_ASSIGN(const std::vector<int64_t> counts, metadata_.integers(key(name)));
  if (static_cast<int64_t>(counts.size()) != layers) {
    return invalid(name, std::to_string(layers) + " counts, one for each layer",
                   std::to_string(counts.size()));
  }
  for (const int64_t value : counts) {
    if (value < 1 || value > kMaxCount) {
      return invalid(name, "counts from 1 to " + std::to_string(kMaxCount), std::to_string(value));
    }
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
