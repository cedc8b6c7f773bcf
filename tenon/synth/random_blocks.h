// Random weights, made as the blocks in which a file stores them: no quantiser is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/type/element_type.h"

namespace tenon::synth {

// A sequence of random words of which each can be had alone, so that any number of threads gives the same.
// SplitMix64: https://doi.org/10.1145/2714064.2660195
class Words {
 public:
  explicit Words(uint64_t key) : key_(key) {}
  uint64_t operator[](uint64_t index) const;

 private:
  uint64_t key_;
};

// True for the types that random_blocks makes: those of weights.
bool has_random_blocks(ElementType type);

// Blocks `first_block`, `first_block` + 1, … of a tensor of random weights with mean about 0 and the given
// standard deviation: quants are random bits, scales follow from the deviation, a quarter up or down from
// block to block. `data` holds whole blocks. Throws std::invalid_argument for a type that has none.
void random_blocks(ElementType type, double deviation, Words words, uint64_t first_block,
                   std::span<std::byte> data);

// Evenly spread between the two.
float uniform(Words words, uint64_t index, double low, double high);

}  // namespace tenon::synth
