#include "tenon/base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tenon {
namespace {

TEST(ThreadPool, EveryWorkerEntersOnceAndTheCallerIsRankZero) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::vector<std::atomic<int>> entered(static_cast<size_t>(threads));
    const std::thread::id caller = std::this_thread::get_id();
    for (int call = 0; call < 100; ++call) {
      pool.run([&](const Worker& worker) {
        EXPECT_EQ(worker.size, threads);
        EXPECT_EQ(worker.rank == 0, std::this_thread::get_id() == caller);
        ++entered[static_cast<size_t>(worker.rank)];
      });
    }
    for (const std::atomic<int>& count : entered) EXPECT_EQ(count, 100);
  }
}

// Plain ints: a barrier that lets one worker through early is a wrong sum (and a race under TSan). Eight
// workers on fewer cores also have to make way for each other.
TEST(ThreadPool, BarriersOrderWritesBeforeReads) {
  for (const int threads : {2, 3, 8}) {
    ThreadPool pool(threads);
    std::vector<int> written(static_cast<size_t>(threads), 0);
    std::atomic<int> wrong{0};
    pool.run([&](const Worker& worker) {
      for (int round = 1; round <= 1000; ++round) {
        written[static_cast<size_t>(worker.rank)] = round;
        worker.barrier();
        for (const int value : written) wrong += value != round;
        worker.barrier();
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ThreadPool, CallsFromSeveralThreadsTakeTurns) {
  ThreadPool pool(3);
  int running = 0, most = 0, calls = 0;  // written by rank 0 of the call whose turn it is
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 200; ++call) {
        pool.run([&](const Worker& worker) {
          if (worker.rank == 0) most = std::max(most, ++running), ++calls;
          worker.barrier();
          if (worker.rank == 0) --running;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 800);
  EXPECT_EQ(most, 1);
}

TEST(ThreadPool, RefusesNoThreads) { EXPECT_THROW(ThreadPool(0), std::invalid_argument); }

TEST(Worker, SharesCoverTheRangeOnceAtMultiplesOfTheGrain) {
  for (const int64_t count : {0, 1, 5, 16, 17, 1000}) {
    for (const int64_t grain : {1, 4, 16}) {
      for (const int size : {1, 2, 3, 7}) {
        int64_t next = 0;
        for (int rank = 0; rank < size; ++rank) {
          const Worker::Range range = Worker{rank, size}.share(count, grain);
          EXPECT_EQ(range.begin, next);
          EXPECT_LE(range.begin, range.end);
          EXPECT_TRUE(range.end % grain == 0 || range.end == count);
          // No share is more than one grain above the mean.
          EXPECT_LE(range.end - range.begin, (count / size / grain + 2) * grain);
          next = range.end;
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

}  // namespace
}  // namespace tenon
