// The state of many sequences over one pool of blocks. Sequences share the blocks of a common past; a block
// that is shared is copied before one of them writes into it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>

#include "tenon/runtime/block_pool.h"
#include "tenon/runtime/sequence_state.h"

namespace tenon::runtime {

// Rows of a block of the plan's caches; nullopt where its caches do not lie in blocks.
std::optional<int64_t> paged_block_size(const plan::Plan& plan);

using SequenceId = int64_t;

// New tokens of one sequence in a step.
struct Append {
  SequenceId sequence = 0;
  int64_t tokens = 0;
};

class PagedState {
 public:
  // For the plan of `session`, a paged one.
  static Result<std::unique_ptr<PagedState>> create(const Session& session, Backend& backend,
                                                    const BlockPoolOptions& options);

  SequenceId add();
  // A second sequence with the same past. kContextFull is never an answer: nothing is copied yet.
  SequenceId fork(SequenceId parent);
  void remove(SequenceId sequence);
  // Sequence i goes on from the past of sequence parents[i] (beam search): `sequences` and `parents` have one
  // length and each parent is one of `sequences`.
  void reorder(std::span<const SequenceId> sequences, std::span<const SequenceId> parents);
  // Forgets the tokens from `length` on. Errors: more than there are.
  Status trim(SequenceId sequence, int64_t length);

  int64_t length(SequenceId sequence) const { return table(sequence).length; }
  std::span<const int32_t> blocks(SequenceId sequence) const { return table(sequence).blocks; }
  BlockPool& pool() { return pool_; }
  const BlockPool& pool() const { return pool_; }

  // Gives every sequence the blocks that its new tokens need, its own where they are written, fills the
  // tables and binds them with the caches. kContextFull, with nothing changed, when the pool has not enough.
  Status bind(Session& session, std::span<const Append> step, std::vector<SymbolValue>& symbols);
  // After the step ran.
  void commit(std::span<const Append> step);

  // SequenceState::save and restore of one sequence; `saved` has saved_bytes(length).
  size_t saved_bytes(int64_t length) const;
  std::vector<std::byte> save(SequenceId sequence) const;
  Status restore(SequenceId sequence, int64_t length, std::span<const std::byte> saved);

 private:
  struct Table {
    std::vector<int32_t> blocks;
    int64_t length = 0;  // tokens
  };
  explicit PagedState(BlockPool pool) : pool_(std::move(pool)) {}

  Table& table(SequenceId sequence) { return tables_.at(sequence); }
  const Table& table(SequenceId sequence) const { return tables_.at(sequence); }
  int64_t blocks_for(int64_t tokens) const;
  int64_t blocks_needed(const Table& table, int64_t tokens) const;
  void make_room(Table& table, int64_t tokens);
  void fill_tables(std::span<const Append> step);
  void release_from(Table& table, size_t block);
  template <class Visit>
  void for_each_row(const Table& of, int64_t length, Visit visit) const;

  BlockPool pool_;
  std::map<SequenceId, Table> tables_;
  SequenceId next_ = 0;
  // Inputs of the step, as bound.
  std::vector<int32_t> past_lengths_, sequence_begins_, block_indices_, block_begins_;
  int32_t longest_ = 0;
};

// One sequence of a PagedState.
class PagedSequence : public SequenceState {
 public:
  // Adds a sequence and removes it at the end.
  PagedSequence(std::shared_ptr<PagedState> state, int64_t context);
  ~PagedSequence() override;
  PagedSequence(const PagedSequence&) = delete;
  PagedSequence& operator=(const PagedSequence&) = delete;

  int64_t length() const override { return state_->length(id_); }
  int64_t context() const override { return context_; }
  Status bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) override;
  void commit(int64_t tokens) override;
  void reset() override;
  Status trim(int64_t length) override;
  std::vector<std::byte> save() const override;
  Status restore(int64_t length, std::span<const std::byte> saved) override;
  size_t saved_bytes(int64_t length) const { return state_->saved_bytes(length); }
  size_t bytes() const override { return state_->pool().bytes(); }

 private:
  std::shared_ptr<PagedState> state_;
  SequenceId id_;
  int64_t context_;
};

}  // namespace tenon::runtime
