// The state of one sequence: the caches and recurrent states of a plan, who holds them, and how many tokens
// they know.
#pragma once

#include <algorithm>
#include <optional>

#include "tenon/runtime/sequence_state.h"

namespace tenon::runtime {

class State : public SequenceState {
 public:
  // Takes the memory for the caches of `session`'s plan, for `context` tokens; untouched pages cost nothing.
  // A cache that the plan writes in place is one buffer. Of another, and of a recurrent state, each step
  // writes the whole into a second buffer, and the two take turns.
  // With `recurrent_only` it holds no caches: they are another's.
  static Result<State> create(const Session& session, Backend& backend, int64_t context,
                              bool recurrent_only = false);

  int64_t length() const override { return length_; }
  int64_t context() const override { return context_; }
  // To the session that the state was made for.
  Status bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) override;
  void commit(int64_t tokens) override;
  void reset() override;
  bool can_trim(int64_t length) const override;
  Status trim(int64_t length) override;
  std::vector<std::byte> save() const override;
  Status restore(int64_t length, std::span<const std::byte> saved) override;
  // Of save(), for that many tokens, of which caches that evict hold the last `of_rings`.
  size_t saved_bytes(int64_t tokens, int64_t of_rings = 0) const;
  size_t bytes() const override;

 private:
  struct Cache {
    std::string name;  // of the input and of the output
    Buffer read, write;
    bool in_place = false;   // then both are one buffer
    bool recurrent = false;  // zero before the first token, and replaced as a whole
    size_t row_bytes = 0;    // of one token in a cache; of a recurrent state the whole
    int64_t ring = 0;        // rows; position p is row p % ring. 0: it holds the whole context
    size_t held_bytes(int64_t tokens) const {
      return recurrent ? row_bytes : row_bytes * static_cast<size_t>(tokens);
    }
  };
  // The first position in a ring that the next query after `length` tokens sees.
  int64_t first_seen(int64_t length) const { return std::max<int64_t>(0, length - window_ + 1); }
  // How many rows of each ring a state of that many bytes holds; nothing where it cannot be one.
  std::optional<int64_t> saved_ring_rows(int64_t length, size_t bytes) const;
  // Takes `count` positions of a ring from `first` on, in runs of rows that lie together: (byte offset,
  // bytes).
  template <class Take>
  static void for_each_run(const Cache& cache, int64_t first, int64_t count, const Take& take);

  std::vector<Cache> caches_;  // then the recurrent states
  // Of the caches that evict, which have one window and one length; 0: there are none.
  int64_t ring_ = 0, window_ = 0;
  int64_t first_held_ = 0;  // positions from here to length_ are in the rings
  bool bound_ = false;
  int64_t length_ = 0;
  int64_t context_ = 0;
};

}  // namespace tenon::runtime
