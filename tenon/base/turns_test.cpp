#include "tenon/base/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tenon/base/thread_pool.h"

namespace tenon {
namespace {

void nothing() {}
void of_turns(int64_t, int64_t) {}

Worker helping(const Worker& worker) {
  Worker out = worker;
  out.helps = true;
  return out;
}

// Each index once, whoever takes it; sets that follow each other without a barrier do not mix.
TEST(Turns, AreTakenOnce) {
  for (const bool help : {false, true}) {
    for (const int threads : {1, 2, 3, 8}) {
      ThreadPool pool(threads);
      constexpr int64_t kCount = 300;
      constexpr int kRounds = 100;
      std::vector<std::atomic<int>> taken(kCount * kRounds);
      pool.run([&](Worker worker) {
        worker.helps = help;
        for (int round = 0; round < kRounds; ++round) {
          worker.take_turns(
              3,
              [&](int rank) {
                return Worker{rank, worker.size}.share(kCount);
              },
              nothing, of_turns,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) ++taken[static_cast<size_t>(round * kCount + i)];
              });
        }
      });
      EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](const auto& times) { return times == 1; }));
    }
  }
}

// The others do the share of one that is held up.
TEST(Turns, OfALateWorkerAreTakenByTheOthers) {
  ThreadPool pool(3);
  std::atomic<int> done{0}, of_late_worker{0};
  std::atomic<bool> begun{false};
  constexpr int kCount = 300;
  pool.run([&](const Worker& worker) {
    while (worker.rank != 1 && !begun) std::this_thread::yield();
    worker.claim_turns(kCount, [&](int64_t) {
      if (worker.rank == 1) {
        ++of_late_worker;
        begun = true;
        while (done < kCount - 1) std::this_thread::yield();
      }
      ++done;
    });
  });
  EXPECT_EQ(done, kCount);
  EXPECT_EQ(of_late_worker, 1);
}

// Where a worker may lose its core.
enum class Stop { kBeforeAll, kPreparing, kComputing, kPublishing };

// Sets of turns, each number one more than a number of the set before: two writers, or a set that is left
// before it is complete, are a wrong sum, and a race under TSan.
class Chain {
 public:
  Chain(size_t sets, int64_t count)
      : values_(sets + 1, std::vector<int64_t>(static_cast<size_t>(count), 0)) {}

  // Calls stop(where) on the way.
  template <class OnStop>
  void run(const Worker& worker, const OnStop& stop) {
    const auto count = static_cast<int64_t>(values_[0].size());
    for (size_t set = 0; set + 1 < values_.size();) {
      if (const uint32_t foremost = worker.catch_up(static_cast<uint32_t>(set)); foremost > set) {
        set = foremost;
        continue;
      }
      std::array<int64_t, 3> own{};
      worker.take_turns(
          3,
          [&](int rank) {
            return Worker{rank, worker.size}.share(count);
          },
          [&] { stop(Stop::kPreparing); },
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              own[static_cast<size_t>(i - begin)] =
                  values_[set][static_cast<size_t>((i * 5 + 1) % count)] + 1;
            stop(Stop::kComputing);
          },
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              values_[set + 1][static_cast<size_t>(i)] += own[static_cast<size_t>(i - begin)];
            stop(Stop::kPublishing);
          });
      ++set;
    }
  }
  void expect_whole() const {
    for (const int64_t value : values_.back()) EXPECT_EQ(value, static_cast<int64_t>(values_.size()) - 1);
  }

 private:
  std::vector<std::vector<int64_t>> values_;
};

// The others complete all sets while one is stopped, and it goes on only when they have.
class StoppedWorker : public testing::TestWithParam<Stop> {};

TEST_P(StoppedWorker, HoldsNobodyUpAndWritesNothing) {
  for (const int threads : {2, 3}) {
    ThreadPool pool(threads);
    Chain chain(50, 40);
    std::atomic<bool> ended{false};
    std::atomic<int> begun{0};
    std::atomic<bool> stopped{false};
    pool.run([&](const Worker& entered) {
      const Worker worker = helping(entered);
      const auto stop_at = [&](Stop stop) {
        if (worker.rank != 1 || stop != GetParam() || stopped) return;
        stopped = true;
        while (!ended) std::this_thread::yield();
      };
      // All are there before anyone begins, so that the one that stops has a turn in its hands.
      ++begun;
      while (begun < worker.size) std::this_thread::yield();
      stop_at(Stop::kBeforeAll);
      while (worker.rank != 1 && !stopped) std::this_thread::yield();
      chain.run(worker, stop_at);
      if (worker.rank != 1) ended = true;
    });
    chain.expect_whole();
  }
}

INSTANTIATE_TEST_SUITE_P(At, StoppedWorker,
                         testing::Values(Stop::kBeforeAll, Stop::kPreparing, Stop::kComputing));

// Turns that are claimed are waited for, and run once.
TEST(Turns, ThatAreClaimedAreNotDoneAgain) {
  ThreadPool pool(3);
  std::vector<int> times(30, 0);
  int64_t sum = 0;
  pool.run([&](const Worker& entered) {
    const Worker worker = helping(entered);
    worker.claim_turns(30, [&](int64_t i) {
      if (i % 10 == 3) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++times[static_cast<size_t>(i)];
    });
    worker.claim_turns(1, [&](int64_t) {
      for (const int count : times) sum += count;
    });
  });
  EXPECT_EQ(sum, 30);
  EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }));
}

// Workers that stop at random, more of them than cores.
TEST(Turns, AnyWorkerMayStopAnywhere) {
  ThreadPool pool(4);
  Chain chain(60, 24);
  pool.run([&](const Worker& entered) {
    const Worker worker = helping(entered);
    uint32_t random = static_cast<uint32_t>(worker.rank) * 7919 + 1;
    chain.run(worker, [&](Stop) {
      random = random * 1664525 + 1013904223;
      if (random >> 27 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
  });
  chain.expect_whole();
}

}  // namespace
}  // namespace tenon
