#include <gtest/gtest.h>

#include "tenon/cpu/rows.h"
#include "tenon/cpu/test_support.h"
#include "tenon/quant/block_format.h"
#include "tests/support/breaker.h"
#include "tests/support/quant_capture.h"

namespace tenon::cpu {
namespace {

class GatherRowsOn : public EachIsa {};
TENON_EACH_ISA(GatherRowsOn);

const test::Breaker one_bit("Q1_one_bit_of_a_table", "one bit of the table's blocks is another");

TEST_P(GatherRowsOn, Q1_DecodesBitForBitAsGgml) {
  ThreadPool pool(2);
  for (const quant::BlockFormat& format : quant::block_formats()) {
    if (format.type == ElementType::kF32) continue;  // nothing to decode
    SCOPED_TRACE(name(format.type));
    const test::QuantCapture capture(format.type);
    for (const std::string prefix : {"", "random_"}) {
      // Eight rows of the capture, in an order of their own.
      const std::vector<float> decoded = capture.floats(prefix + "decoded");
      const std::span<const std::byte> captured = capture.bytes(prefix + "blocks");
      std::vector<std::byte> blocks(captured.begin(), captured.end());
      if (one_bit.active()) blocks[blocks.size() / 2] ^= std::byte{1};
      const int64_t rows = static_cast<int64_t>(decoded.size()) / 512, width = 512;
      std::vector<int64_t> ids;
      std::vector<float> wanted, found(decoded.size());
      for (int64_t r = 0; r < rows; ++r) {
        ids.push_back((r * 3 + 1) % rows);
        wanted.insert(wanted.end(), decoded.begin() + ids.back() * width,
                      decoded.begin() + (ids.back() + 1) * width);
      }
      const GatherRowsJob job{.table = blocks.data(),
                              .type = format.type,
                              .row_bytes = static_cast<int64_t>(bytes_for(format.type, width)),
                              .table_rows = rows,
                              .width = width,
                              .ids = reinterpret_cast<const std::byte*>(ids.data()),
                              .id_type = ElementType::kI64,
                              .output = found.data(),
                              .output_stride = width,
                              .rows = rows};
      pool.run([&](const Worker& worker) { kernels->gather_rows(job, worker); });
      EXPECT_TRUE(test::same_bits(wanted, found)) << prefix << "blocks";
    }
  }
}

// Short blocks whose row is no whole number of chunks, floats whose row is no whole number of vectors.
TEST_P(GatherRowsOn, DecodesTheEndsOfRows) {
  ThreadPool pool(1);
  for (const quant::BlockFormat& format : quant::block_formats()) {
    const int64_t block = info(format.type).block_elements;
    const int64_t width = block == 1 ? 77 : block < 256 ? block * 11 : 256, rows = 5;
    SCOPED_TRACE(name(format.type));
    const std::vector<float> values = random_values(rows * width, 1);
    std::vector<std::byte> table(bytes_for(format.type, rows * width));
    format.encode_row(values.data(), table.data(), rows * width);
    std::vector<float> decoded(values.size()), found(static_cast<size_t>(width));
    format.decode_row(table.data(), decoded.data(), rows * width);
    for (int32_t id = 0; id < rows; ++id) {
      const GatherRowsJob job{.table = table.data(),
                              .type = format.type,
                              .row_bytes = static_cast<int64_t>(bytes_for(format.type, width)),
                              .table_rows = rows,
                              .width = width,
                              .ids = reinterpret_cast<const std::byte*>(&id),
                              .id_type = ElementType::kI32,
                              .output = found.data(),
                              .output_stride = width,
                              .rows = 1};
      pool.run([&](const Worker& worker) { kernels->gather_rows(job, worker); });
      EXPECT_TRUE(
          test::same_bits(std::span(decoded).subspan(static_cast<size_t>(id * width), found.size()), found));
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
