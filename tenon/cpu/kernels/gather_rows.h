// rows.h's GatherRowsJob, done: rows decoded bit for bit as quant does it.
#pragma once

#include <cassert>
#include <cstring>

#include "tenon/cpu/kernels/block_readers.h"
#include "tenon/cpu/kernels/convert.h"
#include "tenon/cpu/rows.h"

namespace tenon::cpu {

template <class V, class R>
void decode_blocks(const std::byte* row, int64_t width, float* out) {
  using F32 = typename V::F32;
  constexpr int kGroups = kChunk / R::kGroup;
  const auto* blocks = reinterpret_cast<const typename R::Block*>(row);
  for (int64_t begin = 0; begin < width; begin += kChunk, blocks += R::kChunkBlocks) {
    const int64_t values = smaller(width - begin, kChunk), count = values / R::Block::kElements;
    typename R::Groups group_scale, group_minimum;
    R::scales(blocks, count, group_scale, group_minimum);
    float scale[kGroups], minimum[kGroups];
    V::store_groups(scale, group_scale);
    if constexpr (R::kMinimum) V::store_groups(minimum, group_minimum);
    alignas(64) uint8_t bytes[kChunk];
    unroll<kChunk / V::kBytes>([&](auto part) TENON_BODY {
      constexpr int kPart = static_cast<int>(part);
      if (kPart * V::kBytes < values) {
        V::store_bytes(bytes + kPart * V::kBytes, R::template quants<kPart>(blocks, count));
      }
    });
    for (int64_t i = 0; i < values; i += V::kLanes) {
      const int64_t g = i / R::kGroup;
      // Signed bytes (a format of V::kSignedWeights) are those whose largest value is 127.
      const typename V::I32 quant =
          R::kMax == 127 ? V::load_i8(reinterpret_cast<const int8_t*>(bytes) + i) : V::load_u8(bytes + i);
      F32 y = V::mul(V::to_f32(V::add_i32(quant, V::set_i32(-R::kZero))), V::set(scale[g]));
      if constexpr (R::kMinimum) y = V::sub(y, V::set(minimum[g]));
      V::store(out + begin + i, y);
    }
  }
}

template <class V>
void decode_row(ElementType type, const std::byte* row, int64_t width, float* out) {
  const bool in_blocks =
      with_reader<V>(type, [&](auto reader) { decode_blocks<V, decltype(reader)>(row, width, out); });
  if (in_blocks) return;
  assert(type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBF16);
  for (int64_t i = 0; i < width; i += V::kLanes) {
    const int64_t n = smaller(width - i, V::kLanes);
    V::store(out + i, load_float<V>(row, type, i, n), n);
  }
}

template <class V>
void gather_rows(const GatherRowsJob& job, const Worker& worker) {
  assert(job.width % info(job.type).block_elements == 0);
  const Worker::Range share = worker.share(job.rows);
  for (int64_t r = share.begin; r < share.end; ++r) {
    int64_t id;
    if (job.id_type == ElementType::kI64) {
      std::memcpy(&id, job.ids + r * 8, 8);
    } else {
      assert(job.id_type == ElementType::kI32);
      int32_t narrow;
      std::memcpy(&narrow, job.ids + r * 4, 4);
      id = narrow;
    }
    assert(id >= 0 && id < job.table_rows);
    decode_row<V>(job.type, job.table + id * job.row_bytes, job.width, job.output + r * job.output_stride);
  }
}

}  // namespace tenon::cpu
