// softmax(scale * q k^T + mask) v for grouped query heads, without a tokens x keys buffer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/base/thread_pool.h"
#include "tenon/type/element_type.h"

namespace tenon::cpu {

enum class AttentionMask : uint8_t {
  kNone,    // every key is visible
  kCausal,  // key p, which has position p, is visible to position i iff p <= i and, with a window w > 0, i -
            // p < w
  kRows,    // mask[t, key] is added to the scaled score
};

// Against fewer keys attention takes so little of a step's time that steps leave it exact (see half_sums).
inline constexpr int64_t kHalfSumKeys = 512;

// All strides are bytes, so that a cache [context, kv_heads, head_size] is read in place.
struct AttentionJob {
  const std::byte* q = nullptr;  // [tokens, heads, head_size], f32 or f16
  ElementType q_type = ElementType::kF32;
  int64_t q_token_stride = 0, q_head_stride = 0;
  const std::byte* k = nullptr;  // [keys, kv_heads, head_size], f16 or f32
  const std::byte* v = nullptr;  // [keys, kv_heads, head_size]
  ElementType k_type = ElementType::kF16, v_type = ElementType::kF16;
  int64_t k_token_stride = 0, k_head_stride = 0;
  int64_t v_token_stride = 0, v_head_stride = 0;
  // Keys and values that lie in blocks: key p is row p % block_size of block blocks[p / block_size], and `k`
  // and `v` are block 0. Without `blocks` there is the one, a ring: key p is row p % block_size, and only
  // keys that a window shows need to be there. block_size 0: they lie one after the other. Else it is a
  // multiple of 16.
  const int32_t* blocks = nullptr;
  int64_t block_size = 0;
  int64_t k_block_stride = 0, v_block_stride = 0;
  float* output = nullptr;  // [tokens, heads, head_size]; a row that sees no key becomes 0
  int64_t output_token_stride = 0, output_head_stride = 0;

  int64_t tokens = 0, keys = 0;
  int64_t heads = 0,
          kv_heads = 0;  // heads is a multiple of kv_heads; head h reads kv head h / (heads / kv_heads)
  int64_t head_size = 0;
  float scale = 1.0f;

  AttentionMask mask = AttentionMask::kNone;
  const int32_t* positions =
      nullptr;  // [tokens], or null where token t has position first_position + t; kCausal
  int64_t first_position = 0;
  int64_t window = 0;                    // kCausal; 0: none
  const std::byte* mask_rows = nullptr;  // [tokens, keys], f32 or f16; kRows
  ElementType mask_type = ElementType::kF32;
  int64_t mask_stride = 0;

  int64_t position(int64_t token) const { return positions ? positions[token] : first_position + token; }

  // Products of many rows with f16 keys and values may be summed in f16 for short, where the instruction set
  // can: twice as fast, and what that rounds is of the size of what f16 keys were rounded by.
  bool half_sums = false;

  // [heads]: e^sink adds to the sum of a head's weights, as a key without a value would; or null.
  const float* sinks = nullptr;

  std::byte* workspace = nullptr;  // attention_workspace_bytes(...), 64-byte aligned
  // Where workers help each other: this worker's part of the workspace, as of a MatmulJob.
  std::byte* own_workspace = nullptr;
};

}  // namespace tenon::cpu
