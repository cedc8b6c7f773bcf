// rows.h's ConvertJob, done.
#pragma once

#include <cassert>

#include "tenon/cpu/kernels/chunks.h"
#include "tenon/cpu/rows.h"

namespace tenon::cpu {

template <class V>
TENON_INLINE typename V::F32 load_float(const std::byte* row, ElementType type, int64_t i, int64_t n) {
  if (type == ElementType::kF32) return V::load(reinterpret_cast<const float*>(row) + i, n);
  if (type == ElementType::kF16) return V::load_f16(reinterpret_cast<const uint16_t*>(row) + i, n);
  return V::load_bf16(reinterpret_cast<const uint16_t*>(row) + i, n);
}

template <class V>
TENON_INLINE void store_float(std::byte* row, ElementType type, int64_t i, typename V::F32 x, int64_t n) {
  if (type == ElementType::kF32)
    V::store(reinterpret_cast<float*>(row) + i, x, n);
  else if (type == ElementType::kF16)
    V::store_f16(reinterpret_cast<uint16_t*>(row) + i, x, n);
  else
    V::store_bf16(reinterpret_cast<uint16_t*>(row) + i, x, n);
}

template <class V>
void convert(const ConvertJob& job, const Worker& worker) {
  assert(is_float(job.input_type) && is_float(job.output_type) && job.input_type != ElementType::kF64 &&
         job.output_type != ElementType::kF64);
  for_each_chunk(job.rows, job.width, worker, [&](int64_t row, int64_t begin, int64_t end) TENON_BODY {
    const std::byte* from = job.input + row * job.input_stride;
    std::byte* to =
        job.output + (job.destination != nullptr ? job.destination[row] : row) * job.output_stride;
    for (int64_t i = begin; i < end; i += V::kLanes) {
      const int64_t n = smaller(end - i, V::kLanes);
      store_float<V>(to, job.output_type, i, load_float<V>(from, job.input_type, i, n), n);
    }
  });
}

}  // namespace tenon::cpu
