// A pool of threads. Work is a function that every worker enters once with its (rank, size);
// inside, workers meet at barriers. A whole plan runs in one such call, so a step costs a barrier and not a
// wake-up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace tenon {

class MeetingPoint;

// One worker's place in a parallel call.
struct Worker {
  int rank = 0;  // 0 is the calling thread
  int size = 1;
  MeetingPoint* meeting_point = nullptr;

  // Returns when all `size` workers have arrived. Spins, then yields.
  void barrier() const;

  struct Range {
    int64_t begin, end;
  };
  // This worker's share of [0, count), cut at multiples of `grain`.
  Range share(int64_t count, int64_t grain = 1) const;

  // Calls body(i) for each i of `own` that no one else has taken, from front to back, and then for those that
  // the others have not come to yet, from back to front: a worker that lost its core for a moment, or found
  // memory slow, is not waited for. All workers call it together, each with an `own` apart from the others'.
  // No barrier at its ends. Indices are below 2^24.
  template <class Body>
  void take_turns(Range own, const Body& body) const {
    if (size == 1) {
      for (int64_t i = own.begin; i < own.end; ++i) body(i);
      return;
    }
    open_turns(own);
    for (int64_t i = next_turn(); i >= 0; i = next_turn()) body(i);
  }

 private:
  void open_turns(Range own) const;
  int64_t next_turn() const;  // -1: none is left
};

class ThreadPool {
 public:
  // `threads` includes the caller of run(); at least 1. Throws std::invalid_argument otherwise.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;
  // Runs `work` once on every worker and returns when all are done. Calls from several threads take turns.
  // `work` must not throw and must not call run().
  void run(const std::function<void(const Worker&)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenon
