#include "tenon/runtime/state.h"

namespace tenon::runtime {

Result<State> State::create(const Session& session, Backend& backend, int64_t context) {
  State out;
  out.context_ = context;
  const plan::Plan& plan = session.plan();
  for (const plan::InputBinding& input : plan.inputs) {
    if (input.parameter.role != ir::ParameterRole::kCache) continue;
    Cache cache;
    cache.name = input.parameter.name;
    const plan::OutputBinding* output = plan.find_output(cache.name);
    if (!output) {
      return Error{ErrorCode::kInvalidGraph, "cache '" + cache.name + "'", "a result of the same name",
                   "none", ""};
    }
    const size_t bytes = plan.storages[static_cast<size_t>(input.storage)].max_bytes;
    cache.in_place = output->in_place;
    TENON_ASSIGN(cache.read, backend.allocate(bytes));
    if (cache.in_place) {
      cache.write = cache.read;
    } else {
      TENON_ASSIGN(cache.write, backend.allocate(bytes));
    }
    out.caches_.push_back(std::move(cache));
  }
  return out;
}

Status State::check_room(int64_t tokens) const {
  if (length_ + tokens <= context_) return {};
  return Error{ErrorCode::kContextFull, "context", "room for " + std::to_string(tokens) + " more tokens",
               std::to_string(length_) + " of " + std::to_string(context_) + " in use",
               "use a larger context (-c), a shorter prompt, or start anew"};
}

Status State::bind(Session& session) {
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

Status State::trim(int64_t length) {
  if (length < 0 || length > length_) {
    return Error{ErrorCode::kInvalidArgument, "trim", "0 to " + std::to_string(length_) + " tokens",
                 std::to_string(length), ""};
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
