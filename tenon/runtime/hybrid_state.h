// One sequence of a model that has recurrent states beside caches that lie in blocks.
#pragma once

#include <memory>

#include "tenon/runtime/paged_state.h"
#include "tenon/runtime/state.h"

namespace tenon::runtime {

class HybridState : public SequenceState {
 public:
  // `recurrent` holds the recurrent states alone.
  HybridState(std::unique_ptr<PagedSequence> caches, State recurrent)
      : caches_(std::move(caches)), recurrent_(std::move(recurrent)) {}

  int64_t length() const override { return caches_->length(); }
  int64_t context() const override { return caches_->context(); }
  Status bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) override;
  void commit(int64_t tokens) override;
  void reset() override;
  bool can_trim(int64_t length) const override { return recurrent_.can_trim(length); }
  Status trim(int64_t length) override;
  std::vector<std::byte> save() const override;
  Status restore(int64_t length, std::span<const std::byte> saved) override;
  size_t bytes() const override { return caches_->bytes() + recurrent_.bytes(); }

 private:
  std::unique_ptr<PagedSequence> caches_;
  State recurrent_;
};

}  // namespace tenon::runtime
