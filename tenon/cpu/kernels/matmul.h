// matmul.h's job, done: x is prepared once, the rows of all segments are dealt out to the workers in groups
// of kLanes, and each group is multiplied and written.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "tenon/cpu/kernel_table.h"
#include "tenon/cpu/kernels/block_matmul.h"
#include "tenon/cpu/kernels/block_readers.h"
#include "tenon/cpu/kernels/exp.h"
#include "tenon/cpu/kernels/float_matmul.h"
#include "tenon/cpu/kernels/rms_norm.h"
#include "tenon/cpu/matmul.h"

namespace tenon::cpu {

template <class V, SumOrder kOrder>
struct Matmul {
  using F32 = typename V::F32;

  // Fewer take the way of one row after the other; a fixed order has one way for all.
  static constexpr int64_t kFewTokens = kOrder == SumOrder::kFixed ? 0 : kGemvTokens;

  // Unpacked rows that one worker keeps at a time: they stay in its L2 while all tiles of x pass by.
  static constexpr int64_t kPanelBytes = 256 * 1024;
  static constexpr int64_t kMaxTile = 16;

  static const FormatOps& ops(ElementType type) {
    switch (type) {
      case ElementType::kF32:
        return FloatOps<V, ReadF32<V>>::kOps;
      case ElementType::kF16:
        return FloatOps<V, ReadF16<V>>::kOps;
      case ElementType::kBF16:
        return FloatOps<V, ReadBF16<V>>::kOps;
      default:
        break;
    }
    const FormatOps* found = nullptr;
    with_reader<V>(type, [&](auto reader) { found = &BlockOps<V, decltype(reader)>::kOps; });
    assert(found != nullptr && "matmul takes no weights of this type");
    return *found;
  }

  // --- workspace: x for all, then one worker's part after the other ---

  // x as the products read it. One token's is each worker's own, which is quicker than to wait for others.
  struct XSpace {
    QuantisedRows rows;
    QuantisedTiles tiles;
    float* packed = nullptr;
  };
  static XSpace take_x_space(Arena& arena, int64_t tokens, int64_t depth) {
    XSpace space;
    if (tokens > kFewTokens) {
      space.tiles = take_tiles(arena, tokens, depth, kBlockTile<V>);
      space.packed = arena.take<float>(round_up(tokens, kFloatTile<V>) * depth);
    } else {
      space.rows = take_rows(arena, tokens, depth);
    }
    return space;
  }
  static XSpace take_shared_space(Arena& arena, int64_t tokens, int64_t depth) {
    return tokens == 1 ? XSpace{} : take_x_space(arena, tokens, depth);
  }
  struct WorkerSpace {
    XSpace x;                     // of one token
    float* normalised = nullptr;  // [depth], a row of x at a time
    std::byte* panel[2] = {};     // the second one for `up`
    int32_t* start[2] = {};
  };
  static WorkerSpace take_worker_space(Arena& arena, int64_t tokens, int64_t depth) {
    WorkerSpace space;
    space.normalised = arena.take<float>(depth);
    if (tokens == 1) space.x = take_x_space(arena, 1, depth);
    if (tokens > kFewTokens) {
      const int64_t groups = divide_up(depth, 32) * 2;
      for (int i = 0; i < 2; ++i) {
        space.panel[i] = arena.take<std::byte>(larger(kPanelBytes, depth * V::kLanes * 4));
        space.start[i] = arena.take<int32_t>(groups * kBlockTile<V>);
      }
    }
    return space;
  }

  static size_t workspace_bytes(int64_t tokens, int64_t depth, int workers) {
    // A longer call may be made in pieces, of which any may be short.
    int64_t most = 0;
    for (const int64_t count : {int64_t{1}, smaller(tokens, kGemvTokens), tokens}) {
      Arena shared(nullptr), own(nullptr);
      take_shared_space(shared, count, depth);
      take_worker_space(own, count, depth);
      most = larger(most, shared.used() + workers * own.used());
    }
    return static_cast<size_t>(most);
  }

  // --- x ---

  static TENON_INLINE const float* row_of_x(const MatmulJob& job, int64_t token, const WorkerSpace& space) {
    const float* row = job.x + token * job.x_stride;
    if (!job.normalises_x) return row;
    normalise_row<V>(row, job.norm_weight, job.depth, job.norm_epsilon, space.normalised);
    return space.normalised;
  }

  // The rows of x, in whole tiles, that this worker prepares.
  static TENON_INLINE Worker::Range share_of_tiles(const MatmulJob& job, const Worker& worker, int64_t tile) {
    return job.tokens == 1 ? Worker::Range{0, tile} : worker.share(round_up(job.tokens, tile), tile);
  }

  static void quantise(const MatmulJob& job, const Worker& worker, const Activations& x,
                       const WorkerSpace& space) {
    if (job.tokens <= kFewTokens) {
      const Worker::Range share = job.tokens == 1 ? Worker::Range{0, 1} : worker.share(job.tokens);
      for (int64_t t = share.begin; t < share.end; ++t) {
        quantise_row<V>(row_of_x(job, t, space), job.depth, t, x.rows);
      }
      return;
    }
    constexpr int kTile = kBlockTile<V>;
    const Worker::Range share = share_of_tiles(job, worker, kTile);
    for (int64_t t = share.begin; t < share.end; ++t) {
      const float* row = t < job.tokens ? row_of_x(job, t, space) : nullptr;
      quantise_into_tile<V, kTile>(row, job.x + (t + 1) * job.x_stride, t, x.tiles);
    }
  }

  static void pack(const MatmulJob& job, const Worker& worker, float* packed) {
    constexpr int kTile = kFloatTile<V>;
    const Worker::Range share = share_of_tiles(job, worker, kTile);
    for (int64_t t = share.begin; t < share.end; ++t) {
      pack_into_tile<V, kTile>(t < job.tokens ? job.x + t * job.x_stride : nullptr, job.depth, t, packed);
    }
  }

  // --- the rows of one segment, or of gate and up together ---

  struct Rows {
    const MatmulSegment* segment[2];
    const FormatOps* format[2];
    int count;  // 2: gate and up

    WeightRows group(int i, int64_t index) const {
      const int64_t first = index * V::kLanes;
      return {segment[i]->weight + first * segment[i]->row_bytes, segment[i]->row_bytes,
              smaller(segment[i]->rows - first, V::kLanes)};
    }
  };

  // Writes the results c (and those of `up`) of one group for `tokens` tokens from `token` on.
  static void finish(const Rows& rows, int64_t index, int64_t token, int64_t tokens, const float* c,
                     const float* c_up) {
    const MatmulSegment& to = *rows.segment[0];
    const int64_t row = index * V::kLanes, n = smaller(to.rows - row, V::kLanes);
    for (int64_t t = 0; t < tokens; ++t) {
      F32 y = V::load(c + t * V::kLanes);
      if (to.bias != nullptr) y = V::add(y, V::load(to.bias + row, n));
      if (rows.count == 2) {
        F32 up = V::load(c_up + t * V::kLanes);
        if (rows.segment[1]->bias != nullptr) up = V::add(up, V::load(rows.segment[1]->bias + row, n));
        y = V::mul(silu<V>(y), up);
      }
      if (to.residual != nullptr)
        y = V::add(y, V::load(to.residual + (token + t) * to.residual_stride + row, n));
      V::store(to.output + (token + t) * to.output_stride + row, y, n);
    }
  }

  static void many_tokens(const Rows& rows, Worker::Range groups, const Activations& x,
                          const WorkerSpace& space) {
    alignas(64) float c[2][kMaxTile * V::kLanes];
    int64_t bytes[2] = {}, group_bytes = 0;
    for (int i = 0; i < rows.count; ++i) {
      bytes[i] = rows.format[i]->panel_bytes(x.depth);
      group_bytes = larger(group_bytes, bytes[i]);
    }
    const int64_t at_once = larger(kPanelBytes / group_bytes, 1);
    for (int64_t first = groups.begin; first < groups.end; first += at_once) {
      const int64_t count = smaller(at_once, groups.end - first);
      for (int i = 0; i < rows.count; ++i) {
        for (int64_t g = 0; g < count; ++g) {
          rows.format[i]->unpack(rows.group(i, first + g), x.depth, space.panel[i] + g * bytes[i]);
        }
      }
      const int64_t tile_tokens = rows.format[0]->tile_tokens;
      for (int64_t tile = 0; tile * tile_tokens < x.tokens; ++tile) {
        for (int i = 0; i < rows.count; ++i) rows.format[i]->prepare(x, tile, space.start[i]);
        for (int64_t g = 0; g < count; ++g) {
          for (int i = 0; i < rows.count; ++i) {
            rows.format[i]->multiply(space.panel[i] + g * bytes[i], x, tile, space.start[i], c[i]);
          }
          const int64_t token = tile * tile_tokens;
          finish(rows, first + g, token, smaller(x.tokens - token, tile_tokens), c[0], c[1]);
        }
      }
    }
  }

  // All groups of a job on a line, segment after segment, and how they are dealt out: each is as long as it
  // costs, bytes to read for few tokens, products for many.
  struct Line {
    const MatmulJob& job;
    int64_t segments;  // gate and up count as one
    int64_t length = 0;

    explicit Line(const MatmulJob& of)
        : job(of), segments(of.swiglu ? 1 : static_cast<int64_t>(of.segments.size())) {
      for (int64_t i = 0; i < segments; ++i) length += groups(i) * cost(i);
    }
    int64_t groups(int64_t i) const { return divide_up(segment(i).rows, V::kLanes); }
    int64_t cost(int64_t i) const {
      return job.tokens <= kFewTokens ? segment(i).row_bytes : is_block(segment(i).type) ? 1 : 4;
    }
    // Of segment i, or of gate and up.
    Rows rows(int64_t i) const {
      const MatmulSegment &first = segment(i), &second = segment(job.swiglu ? 1 : i);
      return {{&first, &second}, {&ops(first.type), &ops(second.type)}, job.swiglu ? 2 : 1};
    }
    // Calls take(segment, the groups of it that belong to this worker).
    template <class Take>
    void for_share(const Worker& worker, const Take& take) const {
      int64_t at = 0;
      for (int64_t i = 0; i < segments; ++i) {
        const auto cut = [&](int64_t rank) {
          const int64_t offset = length * rank / worker.size - at;
          return offset <= 0 ? 0 : smaller(divide_up(offset, cost(i)), groups(i));
        };
        take(i, Worker::Range{cut(worker.rank), cut(worker.rank + 1)});
        at += groups(i) * cost(i);
      }
    }

   private:
    const MatmulSegment& segment(int64_t i) const { return job.segments[static_cast<size_t>(i)]; }
  };

  // A few groups at a turn: enough that to take it costs nothing beside.
  static constexpr int64_t kTurnBytes = 8 * 1024, kTurnsAtOnce = 4;

  // Groups are counted on through all segments; what a turn computes stays on this worker's stack until it is
  // published.
  template <class Prepare>
  static void take_few_tokens(const Line& line, const Worker& worker, const Activations& x,
                              const Prepare& prepare) {
    const int64_t most = kMaxTile / x.tokens;  // groups whose results have room
    const int64_t of_turn = larger(smaller(kTurnBytes / larger(line.cost(0) * V::kLanes, 1), most), 1);
    const auto share_of = [&](int rank) {
      Worker::Range all{0, 0};
      line.for_share(Worker{rank, worker.size},
                     [&](int64_t, Worker::Range share) { all.begin += share.begin, all.end += share.end; });
      return Worker::Range{divide_up(all.begin, of_turn), divide_up(all.end, of_turn)};
    };
    // take(rows, group, its place among those of the turns)
    const auto for_each_group = [&](int64_t begin, int64_t end, const auto& take) {
      const int64_t first = begin * of_turn, last = end * of_turn;
      int64_t before = 0;
      for (int64_t i = 0; i < line.segments && before < last; ++i) {
        const int64_t count = line.groups(i), stop = smaller(last - before, count);
        if (first < before + count) {
          const Rows rows = line.rows(i);
          for (int64_t group = larger(first - before, 0); group < stop; ++group)
            take(rows, group, before + group - first);
        }
        before += count;
      }
    };
    alignas(64) float c[2][kMaxTile * V::kLanes];
    const int64_t stride = x.tokens * V::kLanes;
    worker.take_turns(
        larger(smaller(most / of_turn, kTurnsAtOnce), 1), share_of, prepare,
        [&](int64_t begin, int64_t end) {
          for_each_group(begin, end, [&](const Rows& rows, int64_t group, int64_t place) {
            for (int i = 0; i < rows.count; ++i)
              rows.format[i]->dot(rows.group(i, group), x, c[i] + place * stride);
          });
        },
        [&](int64_t begin, int64_t end) {
          for_each_group(begin, end, [&](const Rows& rows, int64_t group, int64_t place) {
            finish(rows, group, 0, x.tokens, c[0] + place * stride, c[1] + place * stride);
          });
        });
  }

  static void run(const MatmulJob& job, const Worker& worker) {
    if (job.tokens == 0) return;
    assert(!job.swiglu || (job.segments.size() == 2 && job.segments[0].rows == job.segments[1].rows &&
                           ops(job.segments[0].type).quantised == ops(job.segments[1].type).quantised));

    Arena arena(job.workspace);
    const XSpace shared = take_shared_space(arena, job.tokens, job.depth);
    Arena own(nullptr);
    take_worker_space(own, job.tokens, job.depth);
    Arena mine(job.own_workspace != nullptr ? job.own_workspace
                                            : job.workspace + arena.used() + worker.rank * own.used());
    const WorkerSpace space = take_worker_space(mine, job.tokens, job.depth);

    const XSpace& prepared = job.tokens == 1 ? space.x : shared;
    Activations x{job.tokens, job.depth, job.x, job.x_stride, prepared.rows, prepared.tiles, prepared.packed};
    bool any_block = false, any_float = false;
    for (const MatmulSegment& segment : job.segments) {
      const bool quantised = ops(segment.type).quantised;
      any_block |= quantised;
      any_float |= !quantised;
      assert(job.depth % info(segment.type).block_elements == 0);
    }
    assert(!job.normalises_x || !any_float);
    const auto prepare = [&] {
      if (any_block) quantise(job, worker, x, space);
      if (any_float && job.tokens > kFewTokens) pack(job, worker, prepared.packed);
      if (job.tokens > 1) worker.barrier();
    };
    const Line line(job);
    if (job.tokens <= kFewTokens) return take_few_tokens(line, worker, x, prepare);
    prepare();
    line.for_share(worker,
                   [&](int64_t i, Worker::Range groups) { many_tokens(line.rows(i), groups, x, space); });
  }
};

}  // namespace tenon::cpu
