#include "tenon/synth/blueprint.h"

#include <utility>

namespace tenon::synth {

Blueprint::Blueprint(gguf::Writer& writer, std::string_view architecture)
    : writer_(writer), prefix_(std::string(architecture) + ".") {
  writer_.set("general.architecture", architecture);
}

void Blueprint::count(std::string_view name, int64_t value) {
  writer_.set(key(name), static_cast<uint32_t>(value));
}

void Blueprint::counts(std::string_view name, const std::vector<int64_t>& values) {
  writer_.set(key(name), std::vector<int32_t>(values.begin(), values.end()));
}

void Blueprint::flags(std::string_view name, const std::vector<bool>& values) {
  writer_.set(key(name), values);
}

void Blueprint::number(std::string_view name, double value) {
  writer_.set(key(name), static_cast<float>(value));
}

void Blueprint::text(std::string_view name, std::string_view value) { writer_.set(key(name), value); }

void Blueprint::weights(const std::string& name, int64_t rows, int64_t columns) {
  tensors_.push_back({name, {rows, columns}, TensorPlan::Kind::kWeights});
}

void Blueprint::kept_weights(const std::string& name, int64_t rows, int64_t columns) {
  tensors_.push_back({name, {rows, columns}, TensorPlan::Kind::kKept});
}

void Blueprint::norm(const std::string& name, int64_t extent, double mean) {
  numbers(name, {extent}, 0.9 * mean, 1.1 * mean);
}

void Blueprint::numbers(const std::string& name, const std::vector<int64_t>& extents, double low,
                        double high) {
  tensors_.push_back({name, extents, TensorPlan::Kind::kNumbers, low, high});
}

void Blueprint::given(const std::string& name, std::vector<float> values) {
  const auto extent = static_cast<int64_t>(values.size());
  tensors_.push_back({name, {extent}, TensorPlan::Kind::kGiven, 0, 0, std::move(values)});
}

}  // namespace tenon::synth
