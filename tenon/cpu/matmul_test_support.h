// Weights and products that the tests of the matmul kernels share.
#pragma once

#include <cmath>
#include <vector>

#include "tenon/cpu/matmul.h"
#include "tenon/cpu/test_support.h"
#include "tenon/quant/block_format.h"

namespace tenon::cpu {

// A weight of the file's form and what it stands for.
struct Weight {
  ElementType type;
  int64_t rows, depth, row_bytes;
  std::vector<std::byte> bytes;
  std::vector<float> values;  // [rows, depth]

  Weight(ElementType type_in, int64_t rows_in, int64_t depth_in, unsigned seed)
      : type(type_in),
        rows(rows_in),
        depth(depth_in),
        row_bytes(static_cast<int64_t>(bytes_for(type, depth))) {
    bytes.resize(static_cast<size_t>(rows * row_bytes));
    values = random_values(rows * depth, seed, 0.05f);
    const quant::BlockFormat& format = quant::block_format(type);
    format.encode_row(values.data(), bytes.data(), rows * depth);
    format.decode_row(bytes.data(), values.data(), rows * depth);
  }
  MatmulSegment segment(std::vector<float>& output) const {
    return {.weight = bytes.data(),
            .type = type,
            .rows = rows,
            .row_bytes = row_bytes,
            .output = output.data(),
            .output_stride = rows};
  }
};

inline void run(const KernelTable& kernels, MatmulJob job, int workers) {
  ThreadPool pool(workers);
  const Workspace workspace(kernels.matmul_workspace_bytes(job.tokens, job.depth, workers));
  job.workspace = workspace.data();
  pool.run([&](const Worker& worker) { kernels.matmul(job, worker); });
}

inline std::vector<float> product(const KernelTable& kernels, const Weight& weight,
                                  const std::vector<float>& x, int64_t tokens, int workers) {
  std::vector<float> y(static_cast<size_t>(tokens * weight.rows), NAN);
  const MatmulSegment segment = weight.segment(y);
  run(kernels,
      {.segments = {&segment, 1},
       .x = x.data(),
       .x_stride = weight.depth,
       .tokens = tokens,
       .depth = weight.depth},
      workers);
  return y;
}

}  // namespace tenon::cpu
