// attention.h's job, done: pieces of (kv head, tile of tokens, chunk of keys) are dealt out to the workers;
// chunks of the same rows are put together at the end.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernel_table.h"
#include "tenon/cpu/kernels/attention_few.h"
#include "tenon/cpu/kernels/attention_half.h"
#include "tenon/cpu/kernels/attention_tile.h"

namespace tenon::cpu {

template <class V, SumOrder kOrder>
struct Attention {
  using F32 = typename V::F32;
  using Few = AttentionFew<V>;
  using Tile = AttentionTile<V>;
  static constexpr int64_t kKeys = 64;  // keys of a block, of every kind
  static_assert(Few::kKeys == kKeys && Tile::kKeys == kKeys);
  // Whether there is a tile that multiplies in f16.
  static constexpr bool kHalves = V::kMostLanes > V::kLanes;

  // How a call is cut up; by its extents alone, so that the number of workers changes no result. A fixed
  // order takes all keys one after the other.
  struct Cut {
    int64_t tile_tokens;  // with the heads of a group about 96 rows: keys are unpacked once for so many
    int64_t tiles;
    int64_t chunks;  // parts of the keys
  };
  static Cut cut(int64_t tokens, int64_t keys, int64_t heads, int64_t kv_heads) {
    constexpr int64_t kRows = 96, kChunkKeys = 256, kMostChunks = 32, kFewTokens = 8;
    Cut out;
    out.tile_tokens = smaller(larger(kRows / (heads / kv_heads), 1), tokens);
    out.tiles = divide_up(tokens, out.tile_tokens);
    out.chunks = kOrder == SumOrder::kFixed || tokens > kFewTokens
                     ? 1
                     : smaller(divide_up(keys, kChunkKeys), kMostChunks / tokens);
    return out;
  }
  // Whether tiles of so many rows are done as a few.
  static bool are_few(int64_t rows) { return kOrder == SumOrder::kFastest && rows <= Few::kMostRows; }

  // Of a chunk: per row of the call the unfinished output, its maximum and its sum.
  struct Partial {
    float* out;      // [chunks, tokens, heads, width]
    float* largest;  // [chunks, tokens, heads]
    float* sum;
  };
  static Partial take_partial(Arena& arena, int64_t chunks, int64_t rows, int64_t head_size) {
    Partial partial{};
    if (chunks > 1) {
      partial.out = arena.take<float>(chunks * rows * AttentionRows<V>::width_of(head_size));
      partial.largest = arena.take<float>(chunks * rows);
      partial.sum = arena.take<float>(chunks * rows);
    }
    return partial;
  }

  static size_t workspace_bytes(int64_t tokens, int64_t keys, int64_t heads, int64_t kv_heads,
                                int64_t head_size, int workers) {
    int64_t most = 0;
    // Fewer tokens have more chunks.
    for (int64_t count = tokens > 8 ? 8 : tokens; count > 0; --count) {
      Arena arena(nullptr);
      take_partial(arena, cut(count, keys, heads, kv_heads).chunks, count * heads, head_size);
      most = larger(most, arena.used());
    }
    const int64_t rows = cut(larger(tokens, 1), keys, heads, kv_heads).tile_tokens * (heads / kv_heads);
    const int64_t few_rows = smaller(rows, Few::kMostRows);
    int64_t own = larger(bytes<Tile>(rows, head_size), bytes<Few>(few_rows, head_size));
    if constexpr (kHalves) own = larger(own, bytes<AttentionHalf<V>>(rows, head_size));
    return static_cast<size_t>(most + workers * own);
  }
  template <class Kind>
  static int64_t bytes(int64_t rows, int64_t head_size) {
    Arena arena(nullptr);
    Kind::take(arena, rows, head_size);
    return arena.used();
  }

  // Keys that some of the tokens can see, as far as positions tell.
  static Worker::Range visible(const AttentionJob& job, int64_t first_token, int64_t tokens) {
    if (job.mask != AttentionMask::kCausal) return {0, job.keys};
    int64_t lowest = job.position(first_token), highest = lowest;
    for (int64_t t = first_token + 1; t < first_token + tokens; ++t) {
      lowest = smaller(lowest, job.position(t));
      highest = larger(highest, job.position(t));
    }
    const int64_t end = larger(smaller(highest + 1, job.keys), 0);
    const int64_t begin = job.window > 0 ? larger(lowest - job.window + 1, 0) / kKeys * kKeys : 0;
    return {smaller(begin, end), end};
  }

  // What the weights of a row are multiplied by, so that they add up to 1, or to less beside a sink.
  static TENON_INLINE F32 share_of(const AttentionJob& job, int64_t head, float largest, float sum) {
    if (sum == 0.0f) return V::zero();
    if (job.sinks == nullptr) return V::set(1.0f / sum);
    const float sink = job.sinks[head], most = sink > largest ? sink : largest;
    const F32 kept = exp<V>(V::set(largest - most)), taken = exp<V>(V::set(sink - most));
    return V::div(kept, V::fma(V::set(sum), kept, taken));
  }

  // Writes Σ weight * v over Σ weight of one row.
  static TENON_INLINE void finish(const AttentionJob& job, int64_t token, int64_t head, const float* out,
                                  float largest, float sum) {
    float* to = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(job.output) +
                                         token * job.output_token_stride + head * job.output_head_stride);
    const F32 factor = share_of(job, head, largest, sum);
    for (int64_t i = 0; i < job.head_size; i += V::kLanes) {
      V::store(to + i, V::mul(V::load(out + i), factor), smaller(job.head_size - i, V::kLanes));
    }
  }

  static void merge(const AttentionJob& job, const Worker& worker, int64_t chunks, const Partial& partial) {
    const int64_t rows = job.tokens * job.heads, width = AttentionRows<V>::width_of(job.head_size);
    const Worker::Range share = worker.share(rows);
    for (int64_t row = share.begin; row < share.end; ++row) {
      float most = kNoScore;
      for (int64_t c = 0; c < chunks; ++c) {
        if (partial.largest[c * rows + row] > most) most = partial.largest[c * rows + row];
      }
      float* total = partial.out + row * width;  // of chunk 0
      float sum = 0.0f;
      for (int64_t c = 0; c < chunks && most != kNoScore; ++c) {
        const F32 factor = exp<V>(V::set(partial.largest[c * rows + row] - most));
        const float* part = partial.out + (c * rows + row) * width;
        for (int64_t i = 0; i < width; i += V::kLanes) {
          const F32 before = c == 0 ? V::zero() : V::load(total + i);
          V::store(total + i, V::fma(V::load(part + i), factor, before));
        }
        float weighted;
        V::store(&weighted, V::mul(V::set(partial.sum[c * rows + row]), factor), 1);
        sum += weighted;
      }
      finish(job, row / job.heads, row % job.heads, total, most, sum);
    }
  }

  static void run(const AttentionJob& job, const Worker& worker) {
    if (job.tokens == 0) return;
    const int64_t group = job.heads / job.kv_heads;
    assert(group * job.kv_heads == job.heads);
    const Cut pieces = cut(job.tokens, job.keys, job.heads, job.kv_heads);
    Arena arena(job.workspace);
    const Partial partial = take_partial(arena, pieces.chunks, job.tokens * job.heads, job.head_size);
    if (are_few(pieces.tile_tokens * group))
      do_pieces<Few>(job, worker, pieces, partial, arena.used());
    else
      do_tiles(job, worker, pieces, partial, arena.used());
    if (pieces.chunks > 1) {
      worker.barrier();
      merge(job, worker, pieces.chunks, partial);
    }
  }

 private:
  static void do_tiles(const AttentionJob& job, const Worker& worker, const Cut& pieces,
                       const Partial& partial, int64_t used) {
    if constexpr (kHalves) {
      if (job.half_sums && job.k_type == ElementType::kF16 && job.v_type == ElementType::kF16) {
        return do_pieces<AttentionHalf<V>>(job, worker, pieces, partial, used);
      }
    }
    do_pieces<Tile>(job, worker, pieces, partial, used);
  }

  template <class Kind>
  static void do_pieces(const AttentionJob& job, const Worker& worker, const Cut& pieces,
                        const Partial& partial, int64_t used) {
    const int64_t rows = pieces.tile_tokens * (job.heads / job.kv_heads);
    Arena mine(job.workspace + used + worker.rank * bytes<Kind>(rows, job.head_size));
    Kind kind = Kind::take(mine, rows, job.head_size);

    const Worker::Range all = visible(job, 0, job.tokens);
    const int64_t chunk_keys = round_up(divide_up(all.end - all.begin, pieces.chunks), kKeys);
    const int64_t count = pieces.tiles * pieces.chunks * job.kv_heads;
    // Chunks of one call cost alike; a run of neighbours, in which all heads of a chunk follow each other,
    // reads memory from front to back. Tiles of a call see more keys the later they are, so that they are
    // dealt in turn.
    const Worker::Range run_of_pieces =
        pieces.chunks > 1 ? worker.share(count) : Worker::Range{worker.rank, count};
    const int64_t step = pieces.chunks > 1 ? 1 : worker.size;
    for (int64_t piece = run_of_pieces.begin; piece < run_of_pieces.end; piece += step) {
      const int64_t kv_head = piece % job.kv_heads, chunk = piece / job.kv_heads % pieces.chunks;
      const int64_t first_token = piece / job.kv_heads / pieces.chunks * pieces.tile_tokens;
      const int64_t tokens = smaller(pieces.tile_tokens, job.tokens - first_token);
      Worker::Range keys = visible(job, first_token, tokens);
      if (pieces.chunks > 1) {
        keys.begin = larger(keys.begin, all.begin + chunk * chunk_keys);
        keys.end = smaller(keys.end, all.begin + (chunk + 1) * chunk_keys);
      }
      kind.begin(job, first_token, tokens, kv_head);
      for (int64_t first = keys.begin; first < keys.end; first += kKeys) {
        // The block to come: of this piece, else the first one of the next piece.
        const bool last = first + kKeys >= keys.end, last_head = kv_head + 1 == job.kv_heads;
        const int64_t next_head = !last ? kv_head : last_head ? 0 : kv_head + 1;
        const int64_t next_first = !last ? first + kKeys : last_head ? keys.end : keys.begin;
        kind.add_block(job, kv_head, first, smaller(kKeys, keys.end - first), next_head, next_first);
      }
      kind.end();
      const AttentionRows<V>& of = kind.of;
      for (int64_t r = 0; r < of.rows; ++r) {
        const int64_t token = of.token(r), head = kv_head * of.group + r % of.group;
        if (pieces.chunks == 1) {
          finish(job, token, head, of.out + r * of.width, of.largest[r], of.sum[r]);
          continue;
        }
        const int64_t at = (chunk * job.tokens + token) * job.heads + head;
        for (int64_t i = 0; i < of.width; i += V::kLanes) {
          V::store(partial.out + at * of.width + i, V::load(of.out + r * of.width + i));
        }
        partial.largest[at] = of.largest[r];
        partial.sum[at] = of.sum[r];
      }
    }
  }
};

}  // namespace tenon::cpu
