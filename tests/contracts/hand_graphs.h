// Small decoders that several contracts are about.
#pragma once

#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

// SET_ROWS of data f32 [1,T,2,4] at index i64 [1,1,1,T] into cache f16 [1,KV,2,4]; returned as "cache_out".
test::HandDecoder one_cache();

// What keeps the V cache of an attention layer from being written in place.
enum class Obstacle {
  kNone,
  kStaticTokens,  // of both caches
  kNotRead,
  kNotReturned,
  kStreams,
  kTransposed,
  kAnotherWrite,
  kReadBefore,
  kReadByAnother,
  kWindow,
  kOverwrite,
};

// One attention layer as the native builder has it: q [1,T,4,8], k and v [1,T,2,8], caches cache_k_l0 and
// cache_v_l0 f16 [1,KV,2,8], a causal mask, inp_kv_idx and inp_pos; returns attention [1,T,4,8] and the
// caches.
test::HandDecoder attention_layer(Obstacle obstacle = Obstacle::kNone);

// The same layer as a live ggml graph has it: flat caches [1,1,KV,16], read through views that split heads,
// permuted to [1,2,KV,8].
test::HandDecoder live_attention_layer();

}  // namespace tenon::contracts
