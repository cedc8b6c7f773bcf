#include "tenon/runtime/state.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {

namespace {

template <class Caches>
auto first_recurrent(const Caches& caches) {
  return std::find_if(caches.begin(), caches.end(), [](const auto& cache) { return cache.recurrent; });
}

// Of one token: a cache's rows follow each other from its first axis but that of the batch on.
Result<size_t> row_bytes(const ir::ParameterAttributes& cache, bool recurrent) {
  int64_t count = 1;
  for (const Axis& axis : cache.type.axes) {
    if (!recurrent && (axis.role == AxisRole::kPosition || axis.role == AxisRole::kBatch)) continue;
    const auto extent = axis.extent.try_value();
    if (!extent) {
      return Error{ErrorCode::kInvalidGraph, "cache '" + cache.name + "'",
                   "constant extents beside the position axis", cache.type.to_string(), ""};
    }
    count *= *extent;
  }
  return bytes_for(cache.type.element, count);
}

}  // namespace

Result<State> State::create(const Session& session, Backend& backend, int64_t context, bool recurrent_only) {
  State out;
  out.context_ = context;
  const plan::Plan& plan = session.plan();
  for (const plan::InputBinding& input : plan.inputs) {
    const bool recurrent = input.parameter.role == ir::ParameterRole::kRecurrentState;
    if (!recurrent && (recurrent_only || input.parameter.role != ir::ParameterRole::kCache)) continue;
    Cache cache;
    cache.recurrent = recurrent;
    cache.name = input.parameter.name;
    const plan::OutputBinding* output = plan.find_output(cache.name);
    if (!output) {
      return Error{ErrorCode::kInvalidGraph, (recurrent ? "state '" : "cache '") + cache.name + "'",
                   "a result of the same name", "none", ""};
    }
    const auto room = [&](int storage) { return plan.storages[static_cast<size_t>(storage)].max_bytes; };
    const size_t bytes = std::max(room(input.storage), room(output->storage));
    TENON_ASSIGN(cache.row_bytes, row_bytes(input.parameter, recurrent));
    cache.in_place = output->in_place;
    TENON_ASSIGN(cache.read, backend.allocate(bytes));
    if (cache.in_place) {
      cache.write = cache.read;
    } else {
      TENON_ASSIGN(cache.write, backend.allocate(bytes));
    }
    out.caches_.push_back(std::move(cache));
  }
  std::stable_partition(out.caches_.begin(), out.caches_.end(),
                        [](const Cache& cache) { return !cache.recurrent; });
  out.reset();
  return out;
}

Status State::bind(Session& session, int64_t, std::vector<SymbolValue>&) {
  if (bound_) return {};
  for (const Cache& cache : caches_) {
    TENON_RETURN_IF_ERROR(session.bind_input(cache.name, cache.read.data, cache.read.size));
    TENON_RETURN_IF_ERROR(session.bind_output(cache.name, cache.write.data, cache.write.size));
  }
  bound_ = true;
  return {};
}

void State::commit(int64_t tokens) {
  length_ += tokens;
  for (Cache& cache : caches_) {
    if (cache.in_place) continue;
    std::swap(cache.read, cache.write);
    bound_ = false;
  }
}

void State::reset() {
  length_ = 0;
  for (const Cache& cache : caches_) {
    if (cache.recurrent) std::memset(cache.read.data, 0, cache.read.size);
  }
}

bool State::can_trim() const { return first_recurrent(caches_) == caches_.end(); }

Status State::trim(int64_t length) {
  TENON_RETURN_IF_ERROR(check_trim(length));
  if (length < length_ && !can_trim()) {
    return Error{ErrorCode::kUnsupported, "trim to " + std::to_string(length) + " tokens",
                 "caches alone, whose rows can be left out",
                 "recurrent state '" + first_recurrent(caches_)->name + "'",
                 "reset and evaluate the tokens again, or restore a saved state"};
  }
  length_ = length;
  return {};
}

size_t State::saved_bytes(int64_t tokens) const {
  size_t sum = 0;
  for (const Cache& cache : caches_) sum += cache.held_bytes(tokens);
  return sum;
}

std::vector<std::byte> State::save() const {
  std::vector<std::byte> out;
  out.reserve(saved_bytes(length_));
  for (const Cache& cache : caches_)
    out.insert(out.end(), cache.read.data, cache.read.data + cache.held_bytes(length_));
  return out;
}

Status State::restore(int64_t length, std::span<const std::byte> saved) {
  TENON_RETURN_IF_ERROR(check_restore(length, saved_bytes(length), saved.size()));
  size_t at = 0;
  for (const Cache& cache : caches_) {
    const auto part = saved.subspan(at, cache.held_bytes(length));
    std::copy(part.begin(), part.end(), cache.read.data);
    at += part.size();
  }
  length_ = length;
  return {};
}

size_t State::bytes() const {
  size_t sum = 0;
  for (const Cache& cache : caches_) {
    sum += cache.read.size + (cache.in_place ? 0 : cache.write.size);
  }
  return sum;
}

}  // namespace tenon::runtime
