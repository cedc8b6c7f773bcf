#include "tenon/cpu/rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tenon/cpu/test_support.h"
#include "tenon/quant/block_format.h"

namespace tenon::cpu {
namespace {

class RowsOn : public EachIsa {
 protected:
  ThreadPool pool{3};
};
TENON_EACH_ISA(RowsOn);

TEST_P(RowsOn, RmsNormOfHeadsInsideWiderRows) {
  for (const int64_t width : {2, 7, 64, 80, 576, 2048}) {
    constexpr int64_t kTokens = 3, kHeads = 2;
    const int64_t row = kHeads * width + 5;
    for (const bool weighted : {false, true}) {
      std::vector<float> x = random_values(kTokens * row, 1, 3.0f);
      const std::vector<float> before = x, weight = random_values(width, 2);
      const RmsNormJob job{.x = x.data(),
                           .x_token_stride = row,
                           .x_head_stride = width,
                           .weight = weighted ? weight.data() : nullptr,
                           .output = x.data(),
                           .output_token_stride = row,
                           .output_head_stride = width,
                           .tokens = kTokens,
                           .heads = kHeads,
                           .width = width,
                           .epsilon = 1e-5f};
      pool.run([&](const Worker& worker) { kernels->rms_norm(job, worker); });
      for (int64_t t = 0; t < kTokens; ++t) {
        for (int64_t h = 0; h < kHeads; ++h) {
          const float* from = &before[static_cast<size_t>(t * row + h * width)];
          const float* to = &x[static_cast<size_t>(t * row + h * width)];
          double squares = 0.0;
          for (int64_t i = 0; i < width; ++i)
            squares += static_cast<double>(from[i]) * static_cast<double>(from[i]);
          const double factor = 1.0 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
          for (int64_t i = 0; i < width; ++i) {
            const double wanted = static_cast<double>(from[i]) * factor *
                                  (weighted ? static_cast<double>(weight[static_cast<size_t>(i)]) : 1.0);
            // The sum's rounding shrinks with its lanes; then four roundings.
            ASSERT_NEAR(static_cast<double>(to[i]), wanted, 1e-6 * std::fabs(wanted)) << width << " " << i;
          }
        }
        for (int64_t i = kHeads * width; i < row; ++i) {
          EXPECT_EQ(x[static_cast<size_t>(t * row + i)], before[static_cast<size_t>(t * row + i)]);
        }
      }
    }
  }
}

TEST_P(RowsOn, BinaryBroadcastsRowsAndSingleValues) {
  constexpr int64_t kRows = 6, kWidth = 1501, kStride = 1510;
  const std::vector<float> a = random_values(kRows * kStride, 3), b = random_values(kRows * kStride, 4);
  for (const BinaryOp op : {BinaryOp::kAdd, BinaryOp::kMultiply}) {
    for (const int64_t b_rows : {1, 2, 6}) {
      for (const int64_t b_width : {int64_t{1}, kWidth}) {
        std::vector<float> out = a;
        const BinaryJob job{.op = op,
                            .a = out.data(),
                            .a_stride = kStride,
                            .b = b.data(),
                            .b_stride = kStride,
                            .b_rows = b_rows,
                            .b_width = b_width,
                            .output = out.data(),
                            .output_stride = kStride,
                            .rows = kRows,
                            .width = kWidth};
        pool.run([&](const Worker& worker) { kernels->binary(job, worker); });
        for (int64_t r = 0; r < kRows; ++r) {
          for (int64_t i = 0; i < kStride; ++i) {
            const auto at = static_cast<size_t>(r * kStride + i);
            const float other = b[static_cast<size_t>(r % b_rows * kStride + (b_width == 1 ? 0 : i))];
            const float wanted = i >= kWidth ? a[at] : op == BinaryOp::kAdd ? a[at] + other : a[at] * other;
            ASSERT_EQ(out[at], wanted) << r << " " << i;
          }
        }
      }
    }
  }
}

TEST_P(RowsOn, SwigluOverTheWholeRangeOfTheExponential) {
  std::vector<float> gate, up, out;
  for (float x = -120.0f; x < 120.0f; x += 0.0371f) gate.push_back(x);
  up = random_values(static_cast<int64_t>(gate.size()), 5);
  out.resize(gate.size());
  const GluJob job{.gate = gate.data(),
                   .up = up.data(),
                   .output = out.data(),
                   .rows = 1,
                   .width = static_cast<int64_t>(gate.size())};
  pool.run([&](const Worker& worker) { kernels->swiglu(job, worker); });
  for (size_t i = 0; i < gate.size(); ++i) {
    const double g = static_cast<double>(gate[i]);
    const double wanted = g / (1.0 + std::exp(-g)) * static_cast<double>(up[i]);
    // exp is within 2 units in the last place; the sum, the quotient and the product round once each.
    EXPECT_NEAR(static_cast<double>(out[i]), wanted, 5 * 0x1p-24 * std::fabs(wanted) + 1e-35) << g;
  }
}

TEST_P(RowsOn, GegluAndTanhOverTheWholeRangeOfTheExponential) {
  std::vector<float> x, up, out;
  for (float value = -70.0f; value < 70.0f; value += 0.0173f) x.push_back(value);
  up = random_values(static_cast<int64_t>(x.size()), 6);
  out.resize(x.size());
  const auto width = static_cast<int64_t>(x.size());
  const GluJob gated{.gate = x.data(), .up = up.data(), .output = out.data(), .rows = 1, .width = width};
  pool.run([&](const Worker& worker) { kernels->geglu(gated, worker); });
  for (size_t i = 0; i < x.size(); ++i) {
    const double g = static_cast<double>(x[i]);
    const double y = 2 * std::sqrt(2 / std::numbers::pi) * (g + 0.044715 * g * g * g);
    const double wanted = g / (1.0 + std::exp(-y)) * static_cast<double>(up[i]);
    // y has an error of 2 roundings and of its constants, 3 * 2^-24 of itself, which the exponential hands
    // on.
    EXPECT_NEAR(static_cast<double>(out[i]), wanted,
                (5 + 3 * std::fabs(y)) * 0x1p-24 * std::fabs(wanted) + 1e-32)
        << g;
  }
  const UnaryJob gelu{.op = UnaryOp::kGelu, .x = x.data(), .output = out.data(), .rows = 1, .width = width};
  const std::vector<float> products = out;
  pool.run([&](const Worker& worker) { kernels->unary(gelu, worker); });
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i] * up[i], products[i]) << x[i];
  const UnaryJob job{.op = UnaryOp::kTanh, .x = x.data(), .output = out.data(), .rows = 1, .width = width};
  pool.run([&](const Worker& worker) { kernels->unary(job, worker); });
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(static_cast<double>(out[i]), std::tanh(static_cast<double>(x[i])), 5 * 0x1p-24) << x[i];
}

// Every number of 16 bits, and every f32 that lies at or next to a midpoint of two of them: bit for bit as
// quant.
TEST_P(RowsOn, ConvertRoundsAsTheScalarConversions) {
  for (const ElementType narrow : {ElementType::kF16, ElementType::kBF16}) {
    const quant::BlockFormat& format = quant::block_format(narrow);
    std::vector<uint16_t> halves(0x10000);
    for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
    std::vector<float> widened(halves.size()), wanted(halves.size());
    format.decode_row(halves.data(), wanted.data(), 0x10000);
    ConvertJob job{.input = reinterpret_cast<const std::byte*>(halves.data()),
                   .input_type = narrow,
                   .input_stride = 2 * 4096,
                   .output = reinterpret_cast<std::byte*>(widened.data()),
                   .output_type = ElementType::kF32,
                   .output_stride = 4 * 4096,
                   .rows = 16,
                   .width = 4096};
    pool.run([&](const Worker& worker) { kernels->convert(job, worker); });
    std::vector<float> values;
    for (size_t i = 0; i + 1 < halves.size(); ++i) {
      if (std::isnan(wanted[i])) {
        EXPECT_TRUE(std::isnan(widened[i])) << i;
        continue;
      }
      ASSERT_EQ(wanted[i], widened[i]) << i;
      if (std::isinf(wanted[i]) || !std::isfinite(wanted[i + 1])) continue;
      const float middle = wanted[i] + (wanted[i + 1] - wanted[i]) / 2;
      for (const float x : {wanted[i], middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e38f)}) {
        values.push_back(x);
      }
    }
    values.insert(values.end(), {INFINITY, -INFINITY, 65519.0f, 65520.0f, 3.4e38f, -0.0f, 1e-45f});
    std::vector<uint16_t> rounded(values.size()), wanted_bits(values.size());
    format.encode_row(values.data(), wanted_bits.data(), static_cast<int64_t>(values.size()));
    job = {.input = reinterpret_cast<const std::byte*>(values.data()),
           .input_type = ElementType::kF32,
           .output = reinterpret_cast<std::byte*>(rounded.data()),
           .output_type = narrow,
           .rows = 1,
           .width = static_cast<int64_t>(values.size())};
    pool.run([&](const Worker& worker) { kernels->convert(job, worker); });
    EXPECT_EQ(wanted_bits, rounded) << name(narrow);
  }
}

TEST_P(RowsOn, ConvertKeepsNansAndWritesRowsWhereTheyBelong) {
  const std::vector<float> rows = {1, 2, 3, 4, 5, NAN};  // [2, 3]
  std::vector<uint16_t> cache(5 * 4, 0xbeef);            // [5, 4]
  const int64_t destination[] = {3, 1};
  const ConvertJob job{.input = reinterpret_cast<const std::byte*>(rows.data()),
                       .input_type = ElementType::kF32,
                       .input_stride = 12,
                       .output = reinterpret_cast<std::byte*>(cache.data()),
                       .output_type = ElementType::kF16,
                       .output_stride = 8,
                       .destination = destination,
                       .rows = 2,
                       .width = 3};
  pool.run([&](const Worker& worker) { kernels->convert(job, worker); });
  for (size_t i = 0; i < cache.size(); ++i) {
    const size_t row = i / 4, column = i % 4;
    if ((row != 1 && row != 3) || column == 3) {
      EXPECT_EQ(cache[i], 0xbeef) << i;
    }
  }
  EXPECT_EQ(cache[3 * 4 + 2], 0x4200);  // 3
  EXPECT_EQ(cache[1 * 4], 0x4400);      // 4
  EXPECT_GT(cache[1 * 4 + 2] & 0x7fff, 0x7c00);
}

}  // namespace
}  // namespace tenon::cpu
