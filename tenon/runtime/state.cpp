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
    cache.ring = input.parameter.ring;
    if (cache.ring > 0) {
      out.ring_ = cache.ring;
      out.window_ = input.parameter.window;
    }
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
  first_held_ = std::max(first_held_, ring_ > 0 ? length_ - ring_ : 0);
  for (Cache& cache : caches_) {
    if (cache.in_place) continue;
    std::swap(cache.read, cache.write);
    bound_ = false;
  }
}

void State::reset() {
  length_ = first_held_ = 0;
  for (const Cache& cache : caches_) {
    if (cache.recurrent) std::memset(cache.read.data, 0, cache.read.size);
  }
}

bool State::can_trim(int64_t length) const {
  return first_recurrent(caches_) == caches_.end() && (length == 0 || first_held_ <= first_seen(length));
}

Status State::trim(int64_t length) {
  TENON_RETURN_IF_ERROR(check_trim(length));
  if (length < length_ && !can_trim(length)) {
    const auto recurrent = first_recurrent(caches_);
    const auto ring = std::ranges::find_if(caches_, [](const Cache& cache) { return cache.ring > 0; });
    Error error{ErrorCode::kUnsupported, "trim to " + std::to_string(length) + " tokens",
                "caches alone, whose rows can be left out",
                "recurrent state '" + (recurrent == caches_.end() ? "" : recurrent->name) + "'",
                "reset and evaluate the tokens again, or restore a saved state"};
    if (recurrent == caches_.end()) {
      error.wanted = "a window of " + std::to_string(window_) + " tokens before it";
      error.found = "cache '" + ring->name + "' holds tokens " + std::to_string(first_held_) + " to " +
                    std::to_string(length_ - 1) + ", the earlier ones are evicted";
      error.remedy += ", or keep whole caches (--window-cache full)";
    }
    return error;
  }
  length_ = length;
  if (length == 0) first_held_ = 0;
  return {};
}

template <class Take>
void State::for_each_run(const Cache& cache, int64_t first, int64_t count, const Take& take) {
  for (const int64_t end = first + count; first < end;) {
    const int64_t row = first % cache.ring, n = std::min(cache.ring - row, end - first);
    take(cache.row_bytes * static_cast<size_t>(row), cache.row_bytes * static_cast<size_t>(n));
    first += n;
  }
}

size_t State::saved_bytes(int64_t tokens, int64_t of_rings) const {
  size_t sum = 0;
  for (const Cache& cache : caches_) sum += cache.held_bytes(cache.ring > 0 ? of_rings : tokens);
  return sum;
}

std::vector<std::byte> State::save() const {
  const int64_t of_rings = std::min(length_ - first_held_, window_);  // a window is enough

  std::vector<std::byte> out;
  out.reserve(saved_bytes(length_, of_rings));
  const auto append = [&](const Cache& cache, size_t offset, size_t bytes) {
    out.insert(out.end(), cache.read.data + offset, cache.read.data + offset + bytes);
  };
  for (const Cache& cache : caches_) {
    if (cache.ring == 0) {
      append(cache, 0, cache.held_bytes(length_));
      continue;
    }
    for_each_run(cache, length_ - of_rings, of_rings,
                 [&](size_t offset, size_t bytes) { append(cache, offset, bytes); });
  }
  return out;
}

std::optional<int64_t> State::saved_ring_rows(int64_t length, size_t bytes) const {
  const size_t others = saved_bytes(length, 0), row = saved_bytes(length, 1) - others;
  if (row == 0 || bytes < others || (bytes - others) % row != 0) return std::nullopt;
  const auto rows = static_cast<int64_t>((bytes - others) / row);
  if (rows > length || length - rows > first_seen(length)) return std::nullopt;
  return rows;
}

Status State::restore(int64_t length, std::span<const std::byte> saved) {
  const int64_t rows = saved_ring_rows(length, saved.size()).value_or(std::min(length, window_));
  TENON_RETURN_IF_ERROR(check_restore(length, saved_bytes(length, rows), saved.size()));
  const int64_t kept = std::min(rows, ring_);
  for (const Cache& cache : caches_) {
    std::span<const std::byte> part = saved.first(cache.held_bytes(cache.ring > 0 ? rows : length));
    saved = saved.subspan(part.size());
    if (cache.ring == 0) {
      std::ranges::copy(part, cache.read.data);
      continue;
    }
    part = part.last(cache.held_bytes(kept));
    for_each_run(cache, length - kept, kept, [&](size_t offset, size_t bytes) {
      std::ranges::copy(part.first(bytes), cache.read.data + offset);
      part = part.subspan(bytes);
    });
  }
  length_ = length;
  first_held_ = ring_ > 0 ? length - kept : 0;
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
