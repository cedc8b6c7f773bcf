// How the workers of one pool share a set of turns, and how they finish it although one of them has lost its
// core.
//
// A set is the indices [0, total), cut into a share for each worker. Sets follow each other, numbered alike
// by all. Three words of a worker say how far its share and itself are; each begins with a set's number, and
// a word of an older set says nothing about this one:
//
//   left  {set, begin, end}            the turns of its share that no one has taken. The owner takes from the
//                                      front, the others from the back. Anyone opens a share in its owner's
//                                      place, so that a worker that is not there at all loses all of it.
//   hand  {set, begin, count, state}   the turns that it computes, for as long as they may be taken from it:
//                                      kHeld -> kPublishing by itself, or kHeld -> kStolen by another.
//   done  {set, count}                 how many turns it has published.
//
// A turn is computed into memory that is the worker's own, and only who wins the hand publishes: no two ever
// write the same place, and who comes late writes nothing. A set is complete when its counts add up, or when
// anyone has counted a turn of a later set, since no one goes on from a set that is not complete. What a late
// worker reads may be written anew meanwhile; what it makes of that is dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace tenon {

class Turns {
 public:
  explicit Turns(int workers) : places_(static_cast<size_t>(workers)) {}

  // Sets are numbered from 1 on again. No worker may be inside.
  void restart();

  // The number of worker `rank`'s next set; below 2^20 of them, of fewer than 2^22 turns each.
  uint32_t next_set(int rank);

  // Shows the share of `rank` to all, unless someone did.
  void open(int rank, uint32_t set, int64_t begin, int64_t end);
  // Turns [begin, end) that are now the caller's; none where nothing is left.
  struct Taken {
    int64_t begin = 0, end = 0;
    bool none() const { return begin == end; }
  };
  // Of the share of `rank`: up to `most`, fewer where few are left.
  Taken take_front(int rank, uint32_t set, int64_t most);
  // One.
  Taken take_back(int rank, uint32_t set);

  void hold(int rank, uint32_t set, Taken turns);
  // Whether the held turns are still the holder's; from now on nobody takes them away.
  bool begin_publishing(int rank);
  void count_done(int rank, uint32_t set, int64_t count);
  // Waits until the set is complete and returns none, or returns turns taken from a worker that has held them
  // for too long.
  Taken wait_or_steal(int rank, uint32_t set, int64_t total);

  // Tells that worker `rank` has come to `step` of what is run, all before it being complete, and returns the
  // step to go on with: where the foremost worker is, for one that found itself behind.
  uint32_t catch_up(int rank, uint32_t step);

 private:
  struct alignas(64) Place {
    std::atomic<uint64_t> left{0}, hand{0};
    std::atomic<uint64_t> progress{0};  // {step, number of the last set before it}
    // Its owner's alone.
    uint32_t set = 0;
    bool is_behind = false;
    // What those who wait look at.
    alignas(64) std::atomic<uint64_t> done{0};
  };
  Place& at(int rank) { return places_[static_cast<size_t>(rank)]; }
  bool is_complete(int rank, uint32_t set, int64_t total);
  Taken steal(int rank, uint32_t set);

  std::vector<Place> places_;  // by rank
};

}  // namespace tenon
