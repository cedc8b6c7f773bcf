#include "tenon/runtime/state.h"

namespace tenon::runtime {

Result<State> State::create(Session& session, Backend& backend, KvLayout layout, int64_t context) {
  State out;
  out.layout_ = layout;
  out.context_ = context;
  const plan::Plan& plan = session.plan();
  for (const plan::InputBinding& input : plan.inputs) {
    if (input.parameter.role != ir::ParameterRole::kCache) continue;
    const size_t bytes = plan.storages[static_cast<size_t>(input.storage)].max_bytes;
    Cache cache{input.parameter.name, input.parameter.name, {}, {}};
    TENON_ASSIGN(cache.read, backend.allocate(bytes));
    const plan::OutputBinding* output = plan.find_output(cache.output);
    if (!output) {
      return Error{ErrorCode::kInvalidGraph, "cache '" + cache.input + "'", "a result of the same name",
                   "none", ""};
    }
    if (output->in_place) {
      cache.write = cache.read;
    } else {
      TENON_ASSIGN(cache.write, backend.allocate(bytes));
    }
    out.caches_.push_back(std::move(cache));
  }
  return out;
}

Status State::bind(Session& session, int64_t tokens) {
  if (length_ + tokens > context_) {
    return Error{ErrorCode::kContextFull, "context", "room for " + std::to_string(tokens) + " more tokens",
                 std::to_string(length_) + " of " + std::to_string(context_) + " in use",
                 "use a larger context (-c), a shorter prompt, or start anew"};
  }
  for (Cache& cache : caches_) {
    TENON_RETURN_IF_ERROR(session.bind_input(cache.input, cache.read.data, cache.read.size));
    TENON_RETURN_IF_ERROR(session.bind_output(cache.output, cache.write.data, cache.write.size));
  }
  return {};
}

void State::commit(int64_t tokens) {
  length_ += tokens;
  for (Cache& cache : caches_) std::swap(cache.read, cache.write);
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
    sum += cache.read.size + (cache.write.data == cache.read.data ? 0 : cache.write.size);
  }
  return sum;
}

}  // namespace tenon::runtime
