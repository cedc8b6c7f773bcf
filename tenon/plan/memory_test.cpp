#include "tenon/plan/memory.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace tenon::plan {
namespace {

Operand operand(int storage) {
  Operand out;
  out.storage = storage;
  return out;
}

Step step(std::vector<int> reads, std::vector<int> writes, size_t scratch_bytes = 0) {
  Step out;
  out.parts.emplace_back();
  for (const int storage : reads) out.parts[0].inputs.push_back(operand(storage));
  for (const int storage : writes) out.parts[0].outputs.push_back(operand(storage));
  out.scratch_bytes = scratch_bytes;
  return out;
}

Storage arena(size_t bytes) {
  Storage out;
  out.max_bytes = bytes;
  return out;
}

Storage of_kind(StorageKind kind) {
  Storage out;
  out.kind = kind;
  return out;
}

bool overlap(const Storage& a, const Storage& b) {
  return a.arena_offset < b.arena_offset + b.max_bytes && b.arena_offset < a.arena_offset + a.max_bytes;
}

struct RandomList {
  StepList list;
  std::vector<Storage> storages;
  std::map<int, std::pair<size_t, size_t>> lives;  // first and last step
};

// Every step reads some of the storages that earlier ones wrote, and writes new ones.
RandomList random_list(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  RandomList out;
  for (size_t i = 0; i < 4 + below(40); ++i) {
    std::vector<int> reads, writes;
    for (size_t r = 0; !out.storages.empty() && r < below(4); ++r) {
      // Mostly the latest, sometimes one of long ago.
      const size_t back =
          below(4) == 0 ? below(out.storages.size()) : below(std::min<size_t>(4, out.storages.size()));
      reads.push_back(static_cast<int>(out.storages.size() - 1 - back));
    }
    for (size_t w = 0; w < 1 + below(2); ++w) {
      writes.push_back(static_cast<int>(out.storages.size()));
      out.storages.push_back(arena(1 + below(5000)));
    }
    for (const int storage : reads) out.lives[storage].second = i;
    for (const int storage : writes) out.lives[storage] = {i, i};
    out.list.steps.push_back(step(reads, writes, below(5) == 0 ? 64 : 0));
  }
  return out;
}

TEST(Arena, StoragesThatLiveTogetherNeverOverlap) {
  size_t shared = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomList made = random_list(seed);
    const size_t bytes = assign_arena(made.list, made.storages);
    for (const auto& [a, life_a] : made.lives) {
      const Storage& first = made.storages[static_cast<size_t>(a)];
      ASSERT_LE(first.arena_offset + first.max_bytes, bytes);
      ASSERT_EQ(first.arena_offset % 64, 0u);
      for (const auto& [b, life_b] : made.lives) {
        if (a >= b || !overlap(first, made.storages[static_cast<size_t>(b)])) continue;
        ++shared;
        ASSERT_TRUE(life_a.second < life_b.first || life_b.second < life_a.first)
            << "seed " << seed << ": storages " << a << " and " << b;
      }
    }
  }
  EXPECT_GT(shared, 1000u);  // memory is given away at all
}

// What a step touches is safe from every earlier step that is not behind a barrier.
TEST(Barriers, LieBetweenStepsThatTouchTheSameBytes) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomList made = random_list(seed);
    assign_arena(made.list, made.storages);
    place_barriers(made.list, made.storages);
    size_t group = 0;
    for (size_t i = 0; i < made.list.steps.size(); ++i) {
      const Step& later = made.list.steps[i];
      if (later.barrier_before) group = i;
      for (size_t j = group; j < i; ++j) {
        const Step& earlier = made.list.steps[j];
        ASSERT_FALSE(later.scratch_bytes > 0 && earlier.scratch_bytes > 0) << "seed " << seed;
        const auto clash = [&](const std::vector<Operand>& one, const std::vector<Operand>& two) {
          for (const Operand& a : one) {
            for (const Operand& b : two) {
              if (overlap(made.storages[static_cast<size_t>(a.storage)],
                          made.storages[static_cast<size_t>(b.storage)]))
                return true;
            }
          }
          return false;
        };
        ASSERT_FALSE(clash(later.parts[0].inputs, earlier.parts[0].outputs)) << "seed " << seed;
        ASSERT_FALSE(clash(later.parts[0].outputs, earlier.parts[0].inputs)) << "seed " << seed;
        ASSERT_FALSE(clash(later.parts[0].outputs, earlier.parts[0].outputs)) << "seed " << seed;
      }
    }
  }
}

// "|" where a step waits.
std::string barriers(std::vector<Step> steps, std::vector<Storage> storages) {
  StepList list;
  list.steps = std::move(steps);
  assign_arena(list, storages);
  place_barriers(list, storages);
  std::string out;
  for (const Step& each : list.steps) out += each.barrier_before ? '|' : '.';
  return out;
}

TEST(Barriers, NotBetweenStepsThatShareNothing) {
  const std::vector<Storage> storages = {arena(64), arena(64), arena(64), arena(64)};
  EXPECT_EQ(barriers({step({}, {0}), step({}, {1}), step({}, {2})}, storages), "...");
  EXPECT_EQ(barriers({step({}, {0}), step({0}, {1}), step({0}, {2}), step({1, 2}, {3})}, storages), ".|.|");
}

TEST(Barriers, ABarrierServesAllThatCameBefore) {
  const std::vector<Storage> storages = {arena(64), arena(64), arena(64), arena(64)};
  EXPECT_EQ(barriers({step({}, {0}), step({}, {1}), step({0}, {2}), step({1}, {3})}, storages), "..|.");
}

TEST(Barriers, ScratchIsOneRegionForAll) {
  const std::vector<Storage> storages = {arena(64), arena(64), arena(64)};
  EXPECT_EQ(barriers({step({}, {0}, 128), step({}, {1}), step({}, {2}, 128)}, storages), "..|");
}

TEST(Barriers, ReadersOfOneTensorDoNotWaitForEachOther) {
  const std::vector<Storage> storages = {of_kind(StorageKind::kInput), arena(64), arena(64),
                                         of_kind(StorageKind::kConstant)};
  EXPECT_EQ(barriers({step({0, 3}, {1}), step({0, 3}, {2})}, storages), "..");
}

// A cache that is written in place: the next reader waits, a writer of another cache does not.
TEST(Barriers, InputsThatAreWrittenAreWaitedFor) {
  const std::vector<Storage> storages = {of_kind(StorageKind::kInput), of_kind(StorageKind::kInput),
                                         arena(64)};
  EXPECT_EQ(barriers({step({0}, {0}), step({1}, {1}), step({0, 1}, {2})}, storages), "..|");
}

TEST(Barriers, OperandsThatAreNotReadDoNotCount) {
  const std::vector<Storage> storages = {arena(64), arena(64)};
  EXPECT_EQ(barriers({step({}, {0}), step({-1}, {1})}, storages), "..");
}

}  // namespace
}  // namespace tenon::plan
