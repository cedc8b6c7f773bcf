#include "tenon/cpu/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tenon/cpu/matmul_test_support.h"
#include "tenon/cpu/test_capture.h"

namespace tenon::cpu {
namespace {

constexpr ElementType kTypes[] = {
    ElementType::kF32,    ElementType::kF16,   ElementType::kBF16, ElementType::kQ4_0, ElementType::kQ4_1,
    ElementType::kQ5_0,   ElementType::kQ5_1,  ElementType::kQ8_0, ElementType::kQ2_0, ElementType::kMXFP4,
    ElementType::kIQ4_NL, ElementType::kQ2_K,  ElementType::kQ3_K, ElementType::kQ4_K, ElementType::kQ5_K,
    ElementType::kQ6_K,   ElementType::kIQ4_XS};

// The exact product of the decoded weight, and how far a kernel may be from it. Quantising x moves each value
// by at most half a step, 1/254 of the largest in its group of 32; f32 sums add a rounding per value at most.
struct Exact {
  double value = 0.0, bound = 0.0;
};
Exact exact(const Weight& weight, int64_t row, const float* x) {
  Exact out;
  double magnitude = 0.0, moved = 0.0;
  for (int64_t k = 0; k < weight.depth; ++k) {
    const double w = static_cast<double>(weight.values[static_cast<size_t>(row * weight.depth + k)]);
    out.value += w * static_cast<double>(x[k]);
    magnitude += std::fabs(w * static_cast<double>(x[k]));
    if (is_block(weight.type)) {
      float largest = 0.0f;
      for (int64_t i = k / 32 * 32; i < k / 32 * 32 + 32; ++i) largest = std::max(largest, std::fabs(x[i]));
      moved += std::fabs(w) * static_cast<double>(largest) / 254.0;
    }
  }
  out.bound = moved * 1.001 + magnitude * static_cast<double>(weight.depth) * 0x1p-24;
  return out;
}

class MatmulOn : public EachIsa {};
TENON_EACH_ISA(MatmulOn);

TEST_P(MatmulOn, IsWithinTheDerivedBoundForOddShapes) {
  struct Shape {
    int64_t tokens, rows, depth;
  };
  for (const ElementType type : kTypes) {
    for (const Shape shape : {Shape{1, 1, 256},
                              {1, 17, 512},
                              {2, 3, 256},
                              {3, 130, 768},
                              {7, 17, 256},
                              {8, 33, 512},
                              {9, 17, 512},
                              {17, 130, 256},
                              {33, 3, 1024},
                              {1, 130, 2048},
                              {47, 70, 256}}) {
      SCOPED_TRACE(std::string(name(type)) + " T=" + std::to_string(shape.tokens) +
                   " N=" + std::to_string(shape.rows) + " K=" + std::to_string(shape.depth));
      const Weight weight(type, shape.rows, shape.depth, 1);
      const std::vector<float> x = random_values(shape.tokens * shape.depth, 2);
      const std::vector<float> y = product(*kernels, weight, x, shape.tokens, 2);
      for (int64_t t = 0; t < shape.tokens; ++t) {
        for (int64_t n = 0; n < shape.rows; ++n) {
          const Exact wanted = exact(weight, n, &x[static_cast<size_t>(t * shape.depth)]);
          ASSERT_NEAR(static_cast<double>(y[static_cast<size_t>(t * shape.rows + n)]), wanted.value,
                      wanted.bound)
              << "token " << t << ", row " << n;
        }
      }
    }
  }
}

// Rows whose depth is no whole number of chunks (blocks of 32), or of vectors (floats).
TEST_P(MatmulOn, TakesAnyDepthThatTheFormatAllows) {
  for (const ElementType type : kTypes) {
    if (info(type).block_elements == 256) continue;
    const std::vector<int64_t> depths = is_block(type) ? std::vector<int64_t>{32, 64, 96, 288, 448, 480, 576}
                                                       : std::vector<int64_t>{1, 2, 7, 15, 17, 33, 77, 130};
    for (const int64_t depth : depths) {
      if (depth % info(type).block_elements != 0) continue;
      for (const int64_t tokens : {1, 2, 5, 8, 9, 20}) {
        SCOPED_TRACE(std::string(name(type)) + " T=" + std::to_string(tokens) +
                     " K=" + std::to_string(depth));
        const Weight weight(type, 21, depth, 3);
        const std::vector<float> x = random_values(tokens * depth, 4);
        const std::vector<float> y = product(*kernels, weight, x, tokens, 1);
        for (int64_t t = 0; t < tokens; ++t) {
          for (int64_t n = 0; n < weight.rows; ++n) {
            const Exact wanted = exact(weight, n, &x[static_cast<size_t>(t * depth)]);
            ASSERT_NEAR(static_cast<double>(y[static_cast<size_t>(t * weight.rows + n)]), wanted.value,
                        wanted.bound)
                << "token " << t << ", row " << n;
          }
        }
      }
    }
  }
}

TEST_P(MatmulOn, AtFullSizeHasAnErrorOfQuantisedX) {
  for (const ElementType type : kTypes) {
    SCOPED_TRACE(name(type));
    constexpr int64_t kTokens = 512, kDepth = 512, kRows = 200;
    const Weight weight(type, kRows, kDepth, 5);
    const std::vector<float> x = random_values(kTokens * kDepth, 6);
    const std::vector<float> y = product(*kernels, weight, x, kTokens, 2);
    std::vector<double> wanted;
    std::vector<float> found;
    for (int64_t t = 0; t < kTokens; t += 13) {
      for (int64_t n = 0; n < kRows; ++n) {
        wanted.push_back(exact(weight, n, &x[static_cast<size_t>(t * kDepth)]).value);
        found.push_back(y[static_cast<size_t>(t * kRows + n)]);
      }
    }
    // Half a step of 127ths, uniform: (1 / 12) / (127 / 2.6)² of a bell whose largest of 32 is about 2.6
    // deviations.
    EXPECT_LT(nmse(wanted, found), is_block(type) ? 5e-5 : 1e-11);
  }
}

// Against real ggml: no further from the exact product than ggml's own kernels, which quantise x too. The
// formats of 32 have the same step as ours, so that only chance tells them apart.
TEST_P(MatmulOn, IsAsExactAsGgml) {
  const OpCapture capture("mul_mat_types");
  for (size_t i = 0; i < capture.size(); ++i) {
    SCOPED_TRACE(capture.name(i));
    const gguf::TensorInfo& stored = capture.tensor(i, "input.0");
    const int64_t rows = stored.extents[0], depth = stored.extents[1];
    const std::vector<float> x = capture.values<float>(i, "input.1"),
                             wanted = capture.values<float>(i, "exact");
    std::vector<float> y(wanted.size());
    const MatmulSegment segment{.weight = stored.data.data(),
                                .type = stored.element,
                                .rows = rows,
                                .row_bytes = static_cast<int64_t>(bytes_for(stored.element, depth)),
                                .output = y.data(),
                                .output_stride = rows};
    run(*kernels,
        {.segments = {&segment, 1},
         .x = x.data(),
         .x_stride = depth,
         .tokens = static_cast<int64_t>(x.size()) / depth,
         .depth = depth},
        2);
    EXPECT_LT(nmse(wanted, y), 1.2 * nmse(wanted, capture.values<float>(i, "output")));
  }
}

TEST_P(MatmulOn, DoesNotDependOnTheNumberOfWorkers) {
  for (const ElementType type : kTypes) {
    const Weight weight(type, 131, 512, 7);
    for (const int64_t tokens : {1, 3, 8, 21}) {
      const std::vector<float> x = random_values(tokens * weight.depth, 8);
      const std::vector<float> alone = product(*kernels, weight, x, tokens, 1);
      for (const int workers : {2, 3, 7}) EXPECT_EQ(alone, product(*kernels, weight, x, tokens, workers));
    }
  }
}

// One token's result is the same bits whatever else is in the call, on either side of kGemvTokens.
TEST_P(MatmulOn, TokensDoNotMix) {
  for (const ElementType type : kTypes) {
    const int64_t depth = 512 + std::max<int64_t>(info(type).block_elements, 32);
    const Weight weight(type, 21, depth, 9);
    const std::vector<float> x = random_values(40 * depth, 10);
    const auto expect_prefix = [&](const std::vector<float>& all, int64_t tokens) {
      const std::vector<float> first = product(*kernels, weight, x, tokens, 2);
      EXPECT_EQ(first, std::vector<float>(all.begin(), all.begin() + tokens * weight.rows))
          << name(type) << ", " << tokens << " tokens";
    };
    const std::vector<float> few = product(*kernels, weight, x, kGemvTokens, 1);
    for (int64_t tokens = 1; tokens < kGemvTokens; ++tokens) expect_prefix(few, tokens);
    expect_prefix(product(*kernels, weight, x, 40, 1), 9);
    for (const int64_t token : {1, 6}) {  // alone, from another place of the call
      const std::vector<float> own(x.begin() + token * depth, x.begin() + (token + 1) * depth);
      EXPECT_EQ(
          product(*kernels, weight, own, 1, 1),
          std::vector<float>(few.begin() + token * weight.rows, few.begin() + (token + 1) * weight.rows))
          << name(type) << ", token " << token;
    }
  }
}

// A value that is not finite must not be rounded away.
TEST_P(MatmulOn, PassesNansOn) {
  for (const int64_t tokens : {2, 9}) {
    const Weight weight(ElementType::kQ4_K, 16, 512, 22);
    std::vector<float> x = random_values(tokens * 512, 23);
    x[512 + 100] = NAN;
    const std::vector<float> y = product(*kernels, weight, x, tokens, 1);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 16 == 1) << i;
  }
}

}  // namespace
}  // namespace tenon::cpu
