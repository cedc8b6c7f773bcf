#include "tests/conform/reference_session.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tenon::conform {

namespace {

op::HostTensor integers(ElementType element, const std::vector<double>& values) {
  return op::HostTensor::of(element, {1, 1, 1, static_cast<int64_t>(values.size())}, values);
}

std::vector<double> range(int64_t first, int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), static_cast<double>(first));
  return out;
}

// Of M-RoPE, four components: those of text are the place, three times, and 0.
std::vector<double> positions_of(const TensorType& type, const std::vector<double>& places) {
  std::vector<double> out = places;
  if (type.element_count() != Dim(4) * Dim::symbol("T")) return out;
  for (int more = 0; more < 2; ++more) out.insert(out.end(), places.begin(), places.end());
  out.resize(4 * places.size());
  return out;
}

}  // namespace

ReferenceSession::ReferenceSession(const ir::Model& model) : model_(model) {
  for (const ir::Node* parameter : model.parameters()) {
    const auto& attributes = parameter->attributes_as<ir::ParameterAttributes>();
    if (attributes.role == ir::ParameterRole::kCache) caches_[attributes.name] = {};
    if (attributes.role != ir::ParameterRole::kRecurrentState) continue;
    std::vector<int64_t> extents;
    for (const Dim& dim : attributes.type.dims()) extents.push_back(dim.value());
    states_[attributes.name] = op::HostTensor::make(attributes.type.element, std::move(extents));
  }
}

op::HostTensor ReferenceSession::grown(const op::HostTensor& cache, const ir::ParameterAttributes& attributes,
                                       int64_t rows) const {
  const TensorType& type = attributes.type;
  op::HostTensor out =
      op::HostTensor::make(type.element, {1, rows, type.dim(2).value(), type.dim(3).value()});
  std::copy(cache.bytes.begin(), cache.bytes.end(), out.bytes.begin());
  return out;
}

op::HostTensor ReferenceSession::mask_of(const ir::ParameterAttributes& attributes, int64_t count) const {
  const int64_t rows = past_ + count;
  op::HostTensor mask = op::HostTensor::make(ElementType::kF32, {1, 1, count, rows});
  for (int64_t t = 0; t < count; ++t) {
    for (int64_t key = 0; key < rows; ++key) {
      const int64_t ahead = past_ + t - key;
      if (ahead >= 0 && (attributes.mask != ir::MaskKind::kWindow || ahead < attributes.window)) continue;
      mask.ref().as<float>()[t * rows + key] = -std::numeric_limits<float>::infinity();
    }
  }
  return mask;
}

// Nothing for what the session carries.
std::optional<op::HostTensor> ReferenceSession::input_of(const ir::ParameterAttributes& attributes,
                                                         const std::vector<int32_t>& tokens) const {
  const auto count = static_cast<int64_t>(tokens.size());
  switch (attributes.role) {
    case ir::ParameterRole::kTokens:
      return integers(attributes.type.element, {tokens.begin(), tokens.end()});
    case ir::ParameterRole::kPositions:
      return integers(attributes.type.element, positions_of(attributes.type, range(past_, count)));
    case ir::ParameterRole::kOutputRows:
      return integers(attributes.type.element, range(0, count));
    case ir::ParameterRole::kCacheIndex:
      return integers(attributes.type.element, range(past_, count));
    case ir::ParameterRole::kMask:
      return mask_of(attributes, count);
    default:
      break;
  }
  if (attributes.value_symbol == "T")
    return op::HostTensor::of(attributes.type.element, {1}, {static_cast<double>(count)});
  return std::nullopt;
}

std::vector<std::vector<double>> ReferenceSession::step(const std::vector<int32_t>& tokens) {
  const auto count = static_cast<int64_t>(tokens.size());
  const int64_t rows = past_ + count;
  op::HostTensors inputs;
  for (const ir::Node* parameter : model_.parameters()) {
    const auto& attributes = parameter->attributes_as<ir::ParameterAttributes>();
    if (std::optional<op::HostTensor> value = input_of(attributes, tokens))
      inputs[attributes.name] = std::move(*value);
  }
  for (const auto& [name, state] : states_) inputs[name] = state;
  for (const auto& [name, cache] : caches_) {
    inputs[name] = grown(cache, model_.find_parameter(name)->attributes_as<ir::ParameterAttributes>(), rows);
  }
  Result<op::HostTensors> outputs = op::evaluate(model_, inputs);
  if (!outputs.ok()) throw std::runtime_error(outputs.error().message());
  for (auto& [name, cache] : caches_) cache = std::move(outputs->at(name));
  for (auto& [name, state] : states_) state = std::move(outputs->at(name));
  past_ = rows;

  const std::vector<double> logits = outputs->at("logits").values();
  const auto width = static_cast<std::ptrdiff_t>(logits.size() / tokens.size());
  std::vector<std::vector<double>> out;
  for (auto row = logits.begin(); row != logits.end(); row += width) out.emplace_back(row, row + width);
  return out;
}

}  // namespace tenon::conform
