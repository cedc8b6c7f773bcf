#include "tenon/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tenon/base/pause.h"

namespace tenon {

namespace {

// Workers are at most some microseconds apart when each has a core: longer than a spin means that one was
// descheduled, and spinning on would keep its core from it.
constexpr int kSpins = 2000;

// Returns once `word` differs from `old`.
void wait_for_change(const std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != old) return;
    pause();
  }
  word.wait(old, std::memory_order_acquire);
}

// A worker that slept is woken on the core of the caller that woke it, and both would share that core for
// milliseconds although another is free. Being barred from it for a moment moves the worker away.
void leave_core(int core) {
  cpu_set_t allowed;
  if (sched_getcpu() != core || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  cpu_set_t others = allowed;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) == 0) return;
  sched_setaffinity(0, sizeof others, &others);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

// The generation takes the place of a sense flag: whoever arrives last opens the barrier by starting the next
// one.
class Barrier {
 public:
  void arrive_and_wait(int size) {
    const uint32_t mine = generation_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.fetch_add(1, std::memory_order_release);
      generation_.notify_all();
    } else {
      wait_for_change(generation_, mine);
    }
  }

 private:
  // Apart, so that those who wait do not slow down those who arrive.
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> generation_{0};
};

// What the workers of one pool share.
class MeetingPoint {
 public:
  explicit MeetingPoint(int workers) : turns(workers) {}

  Barrier barrier;
  Turns turns;
};

void Worker::barrier() const {
  if (size > 1) meeting_point->barrier.arrive_and_wait(size);
}

Worker::Range Worker::share(int64_t count, int64_t grain) const {
  const int64_t units = (count + grain - 1) / grain;
  return {std::min(count, units * rank / size * grain), std::min(count, units * (rank + 1) / size * grain)};
}

Turns& Worker::turns() const { return meeting_point->turns; }

uint32_t Worker::catch_up(uint32_t step) const {
  return size > 1 ? meeting_point->turns.catch_up(rank, step) : step;
}

struct ThreadPool::State {
  explicit State(int workers) : meeting_point(workers) {}

  std::mutex turn;  // held by the caller whose work runs
  MeetingPoint meeting_point;
  alignas(64) std::atomic<uint32_t> call{0};  // counts calls; the idle wait for it to change
  const std::function<void(const Worker&)>* work = nullptr;
  int caller_core = -1;  // on which the present call began
  bool stopping = false;
  std::vector<std::thread> threads;

  int size() const { return static_cast<int>(threads.size()) + 1; }

  void serve(int rank, int workers) {
    for (uint32_t seen = 0;;) {
      wait_for_change(call, seen);
      ++seen;
      if (stopping) return;
      leave_core(caller_core);
      const Worker worker{rank, workers, &meeting_point};
      (*work)(worker);
      worker.barrier();
    }
  }

  void announce() {
    call.fetch_add(1, std::memory_order_release);
    call.notify_all();
  }

  void stop() {
    stopping = true;
    announce();
    for (std::thread& thread : threads) thread.join();
  }
};

ThreadPool::ThreadPool(int threads) {
  if (threads < 1) throw std::invalid_argument("[ThreadPool] needs at least one thread");
  state_ = std::make_unique<State>(threads);
  try {
    for (int rank = 1; rank < threads; ++rank) {
      state_->threads.emplace_back([state = state_.get(), rank, threads] { state->serve(rank, threads); });
    }
  } catch (...) {  // the system has no more threads
    state_->stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { state_->stop(); }

int ThreadPool::size() const { return state_->size(); }

void ThreadPool::run(const std::function<void(const Worker&)>& work) {
  const std::lock_guard<std::mutex> lock(state_->turn);
  const int workers = state_->size();
  state_->work = &work;
  state_->caller_core = sched_getcpu();
  state_->meeting_point.turns.restart();
  if (workers > 1) state_->announce();
  const Worker worker{0, workers, &state_->meeting_point};
  work(worker);
  worker.barrier();  // all are done with `work`, and with what it refers to, once they meet here
}

}  // namespace tenon
