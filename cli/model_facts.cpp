#include "cli/model_facts.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

namespace tenon::cli {

namespace {

std::string with_unit(double value, const char* unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", value, unit);
  return text;
}

}  // namespace

std::vector<TypeTotal> type_totals(const gguf::File& file) {
  std::vector<TypeTotal> totals;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    auto total = std::ranges::find(totals, tensor.element, &TypeTotal::element);
    if (total == totals.end()) total = totals.insert(total, {tensor.element});
    ++total->tensors;
    total->bytes += tensor.data.size();
  }
  std::ranges::sort(totals, std::ranges::greater(), &TypeTotal::bytes);
  return totals;
}

int64_t parameter_count(const gguf::File& file) {
  int64_t count = 0;
  for (const gguf::TensorInfo& tensor : file.tensors())
    count += std::accumulate(tensor.extents.begin(), tensor.extents.end(), int64_t{1}, std::multiplies<>());
  return count;
}

std::string parameters_text(int64_t count) {
  const auto value = static_cast<double>(count);
  return value < 1e9 ? with_unit(value / 1e6, "M") : with_unit(value / 1e9, "B");
}

std::string size_text(uint64_t bytes) {
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  return mebibytes < 1024 ? with_unit(mebibytes, "MiB") : with_unit(mebibytes / 1024, "GiB");
}

}  // namespace tenon::cli
