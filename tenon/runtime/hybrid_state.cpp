#include "tenon/runtime/hybrid_state.h"

namespace tenon::runtime {

Status HybridState::bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) {
  TENON_RETURN_IF_ERROR(caches_->bind(session, tokens, symbols));
  return recurrent_.bind(session, tokens, symbols);
}

void HybridState::commit(int64_t tokens) {
  caches_->commit(tokens);
  recurrent_.commit(tokens);
}

void HybridState::reset() {
  caches_->reset();
  recurrent_.reset();
}

Status HybridState::trim(int64_t length) {
  TENON_RETURN_IF_ERROR(recurrent_.trim(length));
  return caches_->trim(length);
}

std::vector<std::byte> HybridState::save() const {
  std::vector<std::byte> out = caches_->save();
  const std::vector<std::byte> recurrent = recurrent_.save();
  out.insert(out.end(), recurrent.begin(), recurrent.end());
  return out;
}

Status HybridState::restore(int64_t length, std::span<const std::byte> saved) {
  const size_t recurrent = recurrent_.saved_bytes(length), caches = caches_->saved_bytes(length);
  TENON_RETURN_IF_ERROR(check_restore(length, caches + recurrent, saved.size()));
  TENON_RETURN_IF_ERROR(caches_->restore(length, saved.first(caches)));
  return recurrent_.restore(length, saved.subspan(caches));
}

}  // namespace tenon::runtime
