#include "tenon/runtime/sequence_state.h"

namespace tenon::runtime {

Status SequenceState::check_room(int64_t tokens) const {
  if (length() + tokens <= context()) return {};
  return Error{ErrorCode::kContextFull, "context", "room for " + std::to_string(tokens) + " more tokens",
               std::to_string(length()) + " of " + std::to_string(context()) + " in use",
               "use a larger context (-c), a shorter prompt, or start anew"};
}

Status SequenceState::check_trim(int64_t wanted) const {
  if (wanted >= 0 && wanted <= length()) return {};
  return Error{ErrorCode::kInvalidArgument, "trim", "0 to " + std::to_string(length()) + " tokens",
               std::to_string(wanted), ""};
}

Status SequenceState::check_restore(int64_t wanted, size_t bytes, size_t given) const {
  if (wanted < 0 || wanted > context()) {
    return Error{ErrorCode::kContextFull, "restore",
                 "a state of at most " + std::to_string(context()) + " tokens", std::to_string(wanted),
                 "use a larger context"};
  }
  if (given == bytes) return {};
  return Error{
      ErrorCode::kInvalidArgument, "restore",
      std::to_string(bytes) + " bytes for " + std::to_string(wanted) + " tokens", std::to_string(given),
      "the state was saved by another model, by a session that evicts (--window-cache), or is damaged"};
}

}  // namespace tenon::runtime
