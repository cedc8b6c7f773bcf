// The KV state of one sequence: the caches of a plan, who holds them, and how many tokens they hold.
#pragma once

#include <string>
#include <vector>

#include "tenon/runtime/session.h"

namespace tenon::runtime {

class State {
 public:
  // Takes the memory for the caches of `session`'s plan, for `context` tokens; untouched pages cost nothing.
  // A cache that the plan writes in place is one buffer. Of another, each step writes the whole into a second
  // buffer, and the two take turns.
  static Result<State> create(const Session& session, Backend& backend, int64_t context);

  int64_t length() const { return length_; }    // tokens that the caches hold
  int64_t context() const { return context_; }  // tokens that they have room for

  // kContextFull unless `tokens` more fit.
  Status check_room(int64_t tokens) const;
  // Binds the caches to the session that the state was made for. Before every step.
  Status bind(Session& session);
  // After the step ran: its `tokens` new tokens count.
  void commit(int64_t tokens);
  // Forgets all tokens, or those from `length` on; a length above the present one is an error.
  void reset() { length_ = 0; }
  Status trim(int64_t length);

  size_t bytes() const;

 private:
  struct Cache {
    std::string name;  // of the input and of the output
    Buffer read, write;
    bool in_place = false;  // then both are one buffer
  };
  std::vector<Cache> caches_;
  bool bound_ = false;
  int64_t length_ = 0;
  int64_t context_ = 0;
};

}  // namespace tenon::runtime
