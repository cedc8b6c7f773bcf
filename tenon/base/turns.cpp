#include "tenon/base/turns.h"

#include <algorithm>
#include <cassert>
#include <thread>

#include "tenon/base/pause.h"

namespace tenon {

namespace {

// Turns take about a microsecond: one that is held for several belongs to a worker without a core, or does
// not lose much by being done twice.
constexpr int kPatience = 100;
// Whom a thief cannot help has lost its core between two instructions; it may need this one.
constexpr int kSpins = 2000;

// Of what is left of its share a worker takes one of so many parts at a time, so that the last turns are
// dealt out one by one.
constexpr int64_t kParts = 4;

constexpr int kSetShift = 44, kTurnBits = 22;
constexpr uint64_t kTurnMask = (uint64_t{1} << kTurnBits) - 1;

enum State : uint64_t { kHeld = 0, kPublishing = 1, kStolen = 2 };  // the last bits of `hand`
constexpr int kStateBits = 2;

uint64_t word(uint32_t set, uint64_t begin, uint64_t end) {
  return uint64_t{set} << kSetShift | begin << kTurnBits | end;
}
uint64_t set_of(uint64_t word) { return word >> kSetShift; }
int64_t begin_of(uint64_t left) { return static_cast<int64_t>(left >> kTurnBits & kTurnMask); }
int64_t end_of(uint64_t left) { return static_cast<int64_t>(left & kTurnMask); }

uint64_t state_of(uint64_t hand) { return hand & ((1 << kStateBits) - 1); }

uint64_t pair(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

}  // namespace

void Turns::restart() {
  for (Place& place : places_) {
    place.left.store(0, std::memory_order_relaxed);
    place.hand.store(kPublishing, std::memory_order_relaxed);
    place.done.store(0, std::memory_order_relaxed);
    place.progress.store(0, std::memory_order_relaxed);
    place.set = 0;
    place.is_behind = false;
  }
}

uint32_t Turns::next_set(int rank) {
  assert(at(rank).set + 1 < uint32_t{1} << (64 - kSetShift));
  return ++at(rank).set;
}

bool Turns::is_complete(int rank, uint32_t set, int64_t total) {
  int64_t count = 0;
  for (const Place& place : places_) {
    const uint64_t done = place.done.load(std::memory_order_acquire);
    if (done >> 32 > set) return at(rank).is_behind = true;
    if (done >> 32 == set) count += static_cast<uint32_t>(done);
  }
  return count == total;
}

void Turns::open(int rank, uint32_t set, int64_t begin, int64_t end) {
  assert(0 <= begin && begin <= end && end <= static_cast<int64_t>(kTurnMask));
  std::atomic<uint64_t>& left = at(rank).left;
  uint64_t seen = left.load(std::memory_order_relaxed);
  const uint64_t all = word(set, static_cast<uint64_t>(begin), static_cast<uint64_t>(end));
  while (set_of(seen) < set && !left.compare_exchange_weak(seen, all, std::memory_order_acq_rel)) {
  }
}

Turns::Taken Turns::take_front(int rank, uint32_t set, int64_t most) {
  std::atomic<uint64_t>& left = at(rank).left;
  uint64_t seen = left.load(std::memory_order_acquire);
  while (set_of(seen) == set && begin_of(seen) < end_of(seen)) {
    const int64_t count = std::clamp<int64_t>((end_of(seen) - begin_of(seen)) / kParts, 1, most);
    const uint64_t rest = seen + (static_cast<uint64_t>(count) << kTurnBits);
    if (left.compare_exchange_weak(seen, rest, std::memory_order_acq_rel))
      return {begin_of(seen), begin_of(seen) + count};
  }
  return {};
}

Turns::Taken Turns::take_back(int rank, uint32_t set) {
  std::atomic<uint64_t>& left = at(rank).left;
  uint64_t seen = left.load(std::memory_order_acquire);
  while (set_of(seen) == set && begin_of(seen) < end_of(seen)) {
    if (left.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel))
      return {end_of(seen) - 1, end_of(seen)};
  }
  return {};
}

void Turns::hold(int rank, uint32_t set, Taken turns) {
  const uint64_t held = word(set, static_cast<uint64_t>(turns.begin),
                             static_cast<uint64_t>(turns.end - turns.begin) << kStateBits | kHeld);
  at(rank).hand.store(held, std::memory_order_release);
}

bool Turns::begin_publishing(int rank) {
  std::atomic<uint64_t>& hand = at(rank).hand;
  uint64_t held = hand.load(std::memory_order_relaxed);
  return state_of(held) == kHeld &&
         hand.compare_exchange_strong(held, held | kPublishing, std::memory_order_acq_rel);
}

void Turns::count_done(int rank, uint32_t set, int64_t count) {
  std::atomic<uint64_t>& done = at(rank).done;
  const uint64_t before = done.load(std::memory_order_relaxed);
  const uint64_t others = before >> 32 == set ? before : pair(set, 0);
  done.store(others + static_cast<uint64_t>(count), std::memory_order_release);
}

Turns::Taken Turns::steal(int rank, uint32_t set) {
  const int size = static_cast<int>(places_.size());
  for (int other = 1; other < size; ++other) {
    std::atomic<uint64_t>& hand = at((rank + other) % size).hand;
    uint64_t held = hand.load(std::memory_order_acquire);
    if (state_of(held) != kHeld || set_of(held) != set) continue;
    if (hand.compare_exchange_strong(held, held | kStolen, std::memory_order_acq_rel))
      return {begin_of(held), begin_of(held) + (end_of(held) >> kStateBits)};
  }
  return {};
}

Turns::Taken Turns::wait_or_steal(int rank, uint32_t set, int64_t total) {
  for (int looks = 0; !is_complete(rank, set, total); ++looks) {
    if (looks >= kPatience) {
      if (const Taken stolen = steal(rank, set); !stolen.none()) return stolen;
    }
    if (looks < kSpins)
      pause();
    else
      std::this_thread::yield();
  }
  return {};
}

uint32_t Turns::catch_up(int rank, uint32_t step) {
  Place& own = at(rank);
  uint64_t foremost = pair(step, own.set);
  own.progress.store(foremost, std::memory_order_release);
  if (!own.is_behind) return step;
  own.is_behind = false;
  for (const Place& place : places_) {
    const uint64_t other = place.progress.load(std::memory_order_acquire);
    if (other >> 32 > foremost >> 32) foremost = other;
  }
  own.set = static_cast<uint32_t>(foremost);
  return static_cast<uint32_t>(foremost >> 32);
}

}  // namespace tenon
