// A pool of threads. Work is a function that every worker enters once with its (rank, size);
// inside, workers meet at barriers. A whole plan runs in one such call, so a step costs a barrier and not a
// wake-up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tenon/base/turns.h"

namespace tenon {

class MeetingPoint;

// One worker's place in a parallel call.
struct Worker {
  int rank = 0;  // 0 is the calling thread
  int size = 1;
  MeetingPoint* meeting_point = nullptr;
  // Whether turns are finished for workers that have lost their core (turns.h). Then a set of turns is
  // complete when it returns, whoever did it, and no barrier is needed after it.
  bool helps = false;

  // Returns when all `size` workers have arrived. Spins, then yields.
  void barrier() const;

  struct Range {
    int64_t begin, end;
  };
  // This worker's share of [0, count), cut at multiples of `grain`.
  Range share(int64_t count, int64_t grain = 1) const;

  // Does the turns of [0, total). share_of(rank) is a worker's share of them; the shares follow each other.
  // Who is done with its own takes of the others', so that a worker that lost its core for a moment, or found
  // memory slow, is not waited for. All workers call it together.
  //   prepare()             once, before this worker's first turn
  //   compute(begin, end)   leaves the results of some turns, `most` at most, in memory of this worker's own
  //   publish(begin, end)   carries them to where they belong
  // Where workers help, a turn may be computed by several at once, and what it reads may be written
  // meanwhile; the results are then dropped. It is published once. Without help there is no barrier at its
  // ends.
  template <class ShareOf, class Prepare, class Compute, class Publish>
  void take_turns(int64_t most, const ShareOf& share_of, const Prepare& prepare, const Compute& compute,
                  const Publish& publish) const {
    run_turns<true>(most, share_of, prepare, compute, publish);
  }
  // The same of turns that are short, or that no one may do again: body(i) runs once, and whoever loses its
  // core in it is waited for.
  template <class Body>
  void claim_turns(int64_t total, const Body& body) const {
    run_turns<false>(
        1,
        [&](int of) {
          return Worker{of, size}.share(total);
        },
        [] {}, [](int64_t, int64_t) {}, [&](int64_t turn, int64_t) { body(turn); });
  }
  // At `step` of what is run; returns the step to go on with, further on where the workers that help have
  // completed more. Every worker calls it before each step, and never passes a barrier in between that
  // another one does not pass.
  uint32_t catch_up(uint32_t step) const;

 private:
  Turns& turns() const;

  template <bool kStealable, class ShareOf, class Prepare, class Compute, class Publish>
  void run_turns(int64_t most, const ShareOf& share_of, const Prepare& prepare, const Compute& compute,
                 const Publish& publish) const {
    prepare();
    if (size == 1) {
      const Range all = share_of(0);
      for (int64_t begin = all.begin; begin < all.end; begin += most) {
        const int64_t end = begin + most < all.end ? begin + most : all.end;
        compute(begin, end);
        publish(begin, end);
      }
      return;
    }
    Turns& turns = this->turns();
    const uint32_t set = turns.next_set(rank);
    const auto open = [&](int of) {
      const Range share = share_of(of);
      turns.open(of, set, share.begin, share.end);
    };
    open(rank);
    for (;;) {
      Turns::Taken taken = turns.take_front(rank, set, most);
      for (int next = 1; next < size && taken.none(); ++next) {
        const int other = (rank + next) % size;
        if (helps) open(other);
        taken = turns.take_back(other, set);
      }
      if (taken.none() && helps) taken = turns.wait_or_steal(rank, set, share_of(size - 1).end);
      if (taken.none()) return;
      if (kStealable && helps) turns.hold(rank, set, taken);
      compute(taken.begin, taken.end);
      if (kStealable && helps && !turns.begin_publishing(rank)) continue;
      publish(taken.begin, taken.end);
      if (helps) turns.count_done(rank, set, taken.end - taken.begin);
    }
  }
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
