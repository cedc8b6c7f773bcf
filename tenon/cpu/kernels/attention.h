// attention.h's job, done: pieces of (chunk of keys, tile of tokens, kv head) are dealt out to the workers;
// chunks of the same rows are put together at the end.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernel_table.h"
#include "tenon/cpu/kernels/attention_few.h"
#include "tenon/cpu/kernels/attention_half.h"
#include "tenon/cpu/kernels/attention_tile.h"
#include "tenon/cpu/kernels/key_chunks.h"
#include "tenon/cpu/matmul.h"

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

  // Whether calls of so many tokens share their keys out among the workers, in chunks. A token's results are
  // then the same bits however many such a call has. Longer calls have tiles enough to share out, and a fixed
  // order takes all keys one after the other.
  static bool are_few(int64_t tokens) { return kOrder == SumOrder::kFastest && tokens <= kGemvTokens; }
  // By the model's shape alone, as each kind has its own order of sums.
  static bool takes_few_rows(int64_t tokens, int64_t group) {
    return are_few(tokens) && group <= Few::kMostRows;
  }
  static int64_t tile_tokens_of(int64_t tokens, int64_t group) {
    constexpr int64_t kRows = 96;  // keys are unpacked once for about so many
    const int64_t rows = takes_few_rows(tokens, group) ? Few::kMostRows : kRows;
    return smaller(larger(rows / group, 1), tokens);
  }

  // Of a chunk: per row of the call the unfinished output, its maximum and its sum. A row's chunks are
  // counted from the first one that its token sees.
  struct Partial {
    float* out;      // [chunks, tokens, heads, width]
    float* largest;  // [chunks, tokens, heads]
    float* sum;
  };
  static Partial take_partial(Arena& arena, int64_t seen, int64_t tokens, int64_t heads, int64_t head_size) {
    Partial partial{};
    if (are_few(tokens)) {
      const int64_t rows = KeyChunks::most_visible(seen) * tokens * heads;
      partial.out = arena.take<float>(rows * AttentionRows<V>::width_of(head_size));
      partial.largest = arena.take<float>(rows);
      partial.sum = arena.take<float>(rows);
    }
    return partial;
  }

  static size_t workspace_bytes(int64_t tokens, int64_t seen, int64_t heads, int64_t kv_heads,
                                int64_t head_size, int workers) {
    const int64_t group = heads / kv_heads, few = larger(smaller(tokens, kGemvTokens), 1);
    Arena shared(nullptr);
    take_partial(shared, seen, few, heads, head_size);
    const int64_t rows = tile_tokens_of(larger(tokens, 1), group) * group;
    int64_t own =
        larger(bytes<Tile>(rows, head_size), bytes<Few>(tile_tokens_of(few, group) * group, head_size));
    if constexpr (kHalves) own = larger(own, bytes<AttentionHalf<V>>(rows, head_size));
    return static_cast<size_t>(shared.used() + workers * own);
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

  // How a call is cut into pieces: a chunk's all tiles, and a tile's all kv heads, follow each other, so that
  // memory is read from front to back.
  struct Cut {
    int64_t group, tile_tokens, tiles;
    Worker::Range all;  // keys that the tokens see
    int64_t window;
    KeyChunks borders;
    int64_t first_chunk, chunks;

    explicit Cut(const AttentionJob& job)
        : group(job.heads / job.kv_heads),
          tile_tokens(tile_tokens_of(job.tokens, group)),
          tiles(divide_up(job.tokens, tile_tokens)),
          all(visible(job, 0, job.tokens)),
          window(job.mask == AttentionMask::kCausal ? job.window : 0),
          borders(window) {
      const Worker::Range range = chunks_of(all);
      first_chunk = range.begin;
      chunks = are_few(job.tokens) ? range.end - range.begin : 1;
    }
    // One at least.
    Worker::Range chunks_of(Worker::Range keys) const {
      return {borders.of(keys.begin), borders.of(larger(keys.end - 1, keys.begin)) + 1};
    }
    Worker::Range keys_of_chunk(int64_t chunk) const {
      return {larger(borders.begin(chunk), all.begin), smaller(borders.begin(chunk + 1), all.end)};
    }
    int64_t count(const AttentionJob& job) const { return chunks * tiles * job.kv_heads; }
  };

  struct Piece {
    int64_t kv_head, first_token, tokens, chunk;
    Worker::Range keys;
  };
  static Piece piece_at(const AttentionJob& job, const Cut& cut, int64_t index) {
    Piece piece;
    piece.kv_head = index % job.kv_heads;
    piece.first_token = index / job.kv_heads % cut.tiles * cut.tile_tokens;
    piece.tokens = smaller(cut.tile_tokens, job.tokens - piece.first_token);
    piece.chunk = cut.first_chunk + index / job.kv_heads / cut.tiles;
    piece.keys = visible(job, piece.first_token, piece.tokens);
    if (cut.chunks > 1) {
      const Worker::Range of_chunk = cut.keys_of_chunk(piece.chunk);
      piece.keys.begin = larger(piece.keys.begin, of_chunk.begin);
      piece.keys.end = smaller(piece.keys.end, of_chunk.end);
    }
    return piece;
  }

  // The pieces of a worker: a run of neighbours, which cost as much as its chunk has keys. One whose middle
  // lies in the worker's share of all is its.
  static Worker::Range share_of_pieces(const AttentionJob& job, const Cut& cut, const Worker& worker) {
    const int64_t of_chunk = cut.tiles * job.kv_heads, all = (cut.all.end - cut.all.begin) * of_chunk;
    const auto first_behind = [&](int64_t place) {
      for (int64_t chunk = 0; chunk < cut.chunks; ++chunk) {
        const Worker::Range keys = cut.keys_of_chunk(cut.first_chunk + chunk);
        const int64_t cost = keys.end - keys.begin;
        if (place < cost * of_chunk) return chunk * of_chunk + divide_up(larger(place - cost / 2, 0), cost);
        place -= cost * of_chunk;
      }
      return cut.chunks * of_chunk;
    };
    return {first_behind(all * worker.rank / worker.size),
            first_behind(all * (worker.rank + 1) / worker.size)};
  }

  static void merge(const AttentionJob& job, const Worker& worker, const Cut& cut, const Partial& partial) {
    const int64_t rows = job.tokens * job.heads, width = AttentionRows<V>::width_of(job.head_size);
    const Worker::Range share = worker.share(rows);
    for (int64_t row = share.begin; row < share.end; ++row) {
      const Worker::Range keys = visible(job, row / job.heads, 1), range = cut.chunks_of(keys);
      const int64_t chunks = keys.begin < keys.end ? range.end - range.begin : 0;
      float most = kNoScore;
      for (int64_t c = 0; c < chunks; ++c) {
        if (partial.largest[c * rows + row] > most) most = partial.largest[c * rows + row];
      }
      float* total = partial.out + row * width;  // of chunk 0
      float sum = 0.0f;
      if (most == kNoScore) {
        for (int64_t i = 0; i < width; i += V::kLanes) V::store(total + i, V::zero());
      }
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
    assert(job.heads % job.kv_heads == 0);
    const Cut cut(job);
    Arena arena(job.workspace);
    const int64_t seen = cut.window > 0 ? smaller(cut.window, job.keys) : job.keys;
    const Partial partial = take_partial(arena, seen, job.tokens, job.heads, job.head_size);
    if (takes_few_rows(job.tokens, cut.group))
      do_pieces<Few>(job, worker, cut, partial, arena.used());
    else
      do_tiles(job, worker, cut, partial, arena.used());
    if (cut.chunks == 1) return;
    if (worker.helps) {
      worker.claim_turns(worker.size, [&](int64_t share) {
        merge(job, Worker{static_cast<int>(share), worker.size}, cut, partial);
      });
      return;
    }
    worker.barrier();
    merge(job, worker, cut, partial);
  }

 private:
  static void do_tiles(const AttentionJob& job, const Worker& worker, const Cut& cut, const Partial& partial,
                       int64_t used) {
    if constexpr (kHalves) {
      // What the half kind does in f32 depends on all rows of a tile, which a call of few may not.
      if (job.half_sums && !are_few(job.tokens) && job.k_type == ElementType::kF16 &&
          job.v_type == ElementType::kF16) {
        return do_pieces<AttentionHalf<V>>(job, worker, cut, partial, used);
      }
    }
    do_pieces<Tile>(job, worker, cut, partial, used);
  }

  template <class Kind>
  static void do_pieces(const AttentionJob& job, const Worker& worker, const Cut& cut, const Partial& partial,
                        int64_t used) {
    const int64_t rows = cut.tile_tokens * cut.group, count = cut.count(job);
    Arena mine(job.own_workspace != nullptr
                   ? job.own_workspace
                   : job.workspace + used + worker.rank * bytes<Kind>(rows, job.head_size));
    Kind kind = Kind::take(mine, rows, job.head_size);
    const auto compute = [&](const Piece& piece, const Piece& next) TENON_BODY {
      kind.begin(job, piece.first_token, piece.tokens, piece.kv_head);
      for (int64_t first = piece.keys.begin; first < piece.keys.end; first += kKeys) {
        const bool last = first + kKeys >= piece.keys.end;
        kind.add_block(job, piece.kv_head, first, smaller(kKeys, piece.keys.end - first),
                       last ? next.kv_head : piece.kv_head, last ? next.keys.begin : first + kKeys);
      }
      kind.end();
    };
    const auto publish = [&](const Piece& piece) TENON_BODY {
      if (cut.chunks == 1)
        finish_all(job, kind.of, piece);
      else
        keep(job, kind.of, piece, cut, partial);
    };
    if (worker.helps) {
      const auto share_of = [&](int rank) {
        const Worker of{rank, worker.size};
        return cut.chunks > 1 ? share_of_pieces(job, cut, of) : of.share(count);
      };
      worker.take_turns(
          1, share_of, [] {},
          [&](int64_t index, int64_t) {
            compute(piece_at(job, cut, index), piece_at(job, cut, smaller(index + 1, count - 1)));
          },
          [&](int64_t index, int64_t) { publish(piece_at(job, cut, index)); });
      return;
    }
    // Tiles of a call see more keys the later they are, so that without chunks pieces are dealt in turn.
    const Worker::Range share =
        cut.chunks > 1 ? share_of_pieces(job, cut, worker) : Worker::Range{worker.rank, count};
    const int64_t step = cut.chunks > 1 ? 1 : worker.size;
    for (int64_t index = share.begin; index < share.end; index += step) {
      const Piece piece = piece_at(job, cut, index);
      compute(piece, index + step < share.end ? piece_at(job, cut, index + step) : piece);
      publish(piece);
    }
  }

  static void finish_all(const AttentionJob& job, const AttentionRows<V>& of, const Piece& piece) {
    for (int64_t r = 0; r < of.rows; ++r) {
      finish(job, of.token(r), piece.kv_head * of.group + r % of.group, of.out + r * of.width, of.largest[r],
             of.sum[r]);
    }
  }

  // Keeps a chunk's part of the rows whose tokens see it.
  static void keep(const AttentionJob& job, const AttentionRows<V>& of, const Piece& piece, const Cut& cut,
                   const Partial& partial) {
    for (int64_t r = 0; r < of.rows; ++r) {
      const int64_t token = of.token(r);
      const Worker::Range range = cut.chunks_of(visible(job, token, 1));
      if (piece.chunk < range.begin || piece.chunk >= range.end) continue;
      const int64_t head = piece.kv_head * of.group + r % of.group,
                    at = ((piece.chunk - range.begin) * job.tokens + token) * job.heads + head;
      for (int64_t i = 0; i < of.width; i += V::kLanes) {
        V::store(partial.out + at * of.width + i, V::load(of.out + r * of.width + i));
      }
      partial.largest[at] = of.largest[r];
      partial.sum[at] = of.sum[r];
    }
  }
};

}  // namespace tenon::cpu
