// The state of one sequence, whoever owns it: what a step needs bound, and how many tokens it holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tenon/runtime/session.h"

namespace tenon::runtime {

class SequenceState {
 public:
  virtual ~SequenceState() = default;

  virtual int64_t length() const = 0;   // tokens that it holds
  virtual int64_t context() const = 0;  // tokens that it has room for

  // kContextFull unless `tokens` more fit.
  Status check_room(int64_t tokens) const;
  // Binds what a step of `tokens` new tokens reads and writes, and appends the symbols that it gives values
  // to.
  virtual Status bind(Session& session, int64_t tokens, std::vector<SymbolValue>& symbols) = 0;
  // After the step ran: its new tokens count.
  virtual void commit(int64_t tokens) = 0;

  // Forgets all tokens: recurrent states become zero.
  virtual void reset() = 0;
  // Whether it can forget the tokens from `length` on, 0 to the present one: not where there is a recurrent
  // state, nor where rows of a window before `length` are evicted.
  virtual bool can_trim(int64_t) const { return true; }
  // Forgets the tokens from `length` on. Errors: a length above the present one; one below it unless
  // can_trim(length).
  virtual Status trim(int64_t length) = 0;

  // What it holds, the same for every owner: of each cache the rows [length, G, D] in the order of the plan's
  // inputs, then the recurrent states. Of a cache that evicts the rows of the last tokens alone, at most a
  // window; it takes what an owner of whole caches saved, and not the reverse. restore() replaces what there
  // was; bytes of another size are an error that changes nothing.
  virtual std::vector<std::byte> save() const = 0;
  virtual Status restore(int64_t length, std::span<const std::byte> saved) = 0;

  virtual size_t bytes() const = 0;

 protected:
  // The checks of trim() and restore() that all kinds share.
  Status check_trim(int64_t length) const;
  Status check_restore(int64_t length, size_t wanted, size_t given) const;
};

}  // namespace tenon::runtime
