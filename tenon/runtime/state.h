// The KV state of one sequence: the caches of a plan, who holds them, and how many tokens they hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenon/runtime/session.h"

namespace tenon::runtime {

enum class KvLayout {
  kInPlace,  // caches stay whole buffers [1, context, heads, head_size], written in place
  kCopy,     // every step writes each cache into a new buffer; two buffers take turns
};

class State {
 public:
  // Takes the memory for the caches of `session`'s plan, for `context` tokens; untouched pages cost nothing.
  static Result<State> create(Session& session, Backend& backend, KvLayout layout, int64_t context);

  int64_t length() const { return length_; }    // tokens that the caches hold
  int64_t context() const { return context_; }  // tokens that they have room for

  // Binds the caches for a step of `tokens` new tokens; kContextFull when they do not fit.
  Status bind(Session& session, int64_t tokens);
  // After the step ran: its tokens count.
  void commit(int64_t tokens);
  // Forgets all tokens, or those from `length` on; a length above the present one is an error.
  void reset() { length_ = 0; }
  Status trim(int64_t length);

  size_t bytes() const;

 private:
  struct Cache {
    std::string input, output;
    Buffer read, write;  // one buffer when in place
  };
  std::vector<Cache> caches_;
  KvLayout layout_ = KvLayout::kInPlace;
  int64_t length_ = 0;
  int64_t context_ = 0;
};

}  // namespace tenon::runtime
