// Decoders drawn at random, whose nodes have ports of different type, shape and value.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/op/host_tensor.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

// One graph, told twice: with symbols, and with the extents of one step. A table looked up by tokens, then
// ids that TOP_K selects and MUL_MAT_ID reads, halves that a VIEW splits off, attention over caches, unary
// and binary ops, and nodes that nobody reads.
struct RandomGraph {
  explicit RandomGraph(uint32_t seed);

  test::HandDecoder with_symbols, with_numbers;
  int64_t tokens = 0, past = 0;  // of the step
  int attentions = 0;            // caches cache_k_l0, cache_v_l0, … f32 [1,KV,2,head_size]
  op::HostTensors inputs;        // of the stateless form; caches of `past` rows and room for `tokens`
};

}  // namespace tenon::contracts
