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

uint64_t weight_bytes_per_token(const gguf::File& file) {
  const std::string architecture(file.metadata().architecture().ok() ? *file.metadata().architecture() : "");
  const auto experts = [&](const char* key) {
    const auto count = file.metadata().unsigned_integer(architecture + key, 1);
    return count.ok() ? std::max<uint64_t>(*count, 1) : 1;
  };
  const uint64_t used = experts(".expert_used_count"), all = experts(".expert_count");
  const bool tied = file.find_tensor("output.weight") == nullptr;
  uint64_t bytes = 0;
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    if (tensor.name == "per_layer_token_embd.weight" || (tensor.name == "token_embd.weight" && !tied))
      continue;
    const bool of_experts = tensor.name.find("_exps.") != std::string_view::npos;
    bytes += of_experts ? tensor.data.size() / all * used : tensor.data.size();
  }
  return bytes;
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
