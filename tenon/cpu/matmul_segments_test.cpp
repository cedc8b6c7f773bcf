// Several weights on one x, and what a product does on its way out.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tenon/cpu/matmul_test_support.h"

namespace tenon::cpu {
namespace {

class MatmulSegmentsOn : public EachIsa {};
TENON_EACH_ISA(MatmulSegmentsOn);

TEST_P(MatmulSegmentsOn, SeveralSegmentsShareX) {
  for (const int64_t tokens : {1, 4, 19}) {
    const Weight q(ElementType::kQ4_K, 96, 512, 11), k(ElementType::kQ6_K, 33, 512, 12),
        v(ElementType::kF16, 20, 512, 13);
    const std::vector<float> x = random_values(tokens * 512, 14);
    std::vector<float> y[3];
    std::vector<MatmulSegment> segments;
    const Weight* weights[] = {&q, &k, &v};
    for (int i = 0; i < 3; ++i) {
      y[i].resize(static_cast<size_t>(tokens * weights[i]->rows));
      segments.push_back(weights[i]->segment(y[i]));
    }
    run(*kernels, {.segments = segments, .x = x.data(), .x_stride = 512, .tokens = tokens, .depth = 512}, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(y[i], product(*kernels, *weights[i], x, tokens, 1));
  }
}

// x normalised on the way in, gate and up on the way out: a token is the same bits alone and among others.
TEST_P(MatmulSegmentsOn, FewTokensDoNotMix) {
  constexpr int64_t kDepth = 512, kRows = 50;
  const Weight gate(ElementType::kQ4_K, kRows, kDepth, 25), up(ElementType::kQ6_K, kRows, kDepth, 26);
  const std::vector<float> x = random_values(kGemvTokens * kDepth, 27), norm = random_values(kDepth, 28);
  const auto products = [&](int64_t first, int64_t tokens) {
    std::vector<float> y(static_cast<size_t>(tokens * kRows));
    const MatmulSegment segments[] = {gate.segment(y), up.segment(y)};
    run(*kernels,
        {.segments = segments,
         .x = x.data() + first * kDepth,
         .x_stride = kDepth,
         .tokens = tokens,
         .depth = kDepth,
         .normalises_x = true,
         .norm_weight = norm.data(),
         .norm_epsilon = 1e-5f,
         .swiglu = true},
        2);
    return y;
  };
  std::vector<float> alone;
  for (int64_t t = 0; t < kGemvTokens; ++t) {
    const std::vector<float> one = products(t, 1);
    alone.insert(alone.end(), one.begin(), one.end());
  }
  for (int64_t tokens = 2; tokens <= kGemvTokens; ++tokens) {
    EXPECT_EQ(products(0, tokens), std::vector<float>(alone.begin(), alone.begin() + tokens * kRows))
        << tokens;
  }
}

TEST_P(MatmulSegmentsOn, AddsBiasAndResidualInPlace) {
  for (const int64_t tokens : {1, 6, 12}) {
    const Weight weight(ElementType::kQ8_0, 37, 256, 15);
    const std::vector<float> x = random_values(tokens * 256, 16), bias = random_values(37, 17);
    std::vector<float> y = random_values(tokens * 40, 18);  // rows of 37 in a buffer of 40
    const std::vector<float> before = y, plain = product(*kernels, weight, x, tokens, 1);
    MatmulSegment segment = weight.segment(y);
    segment.bias = bias.data();
    segment.residual = y.data();
    segment.residual_stride = segment.output_stride = 40;
    run(*kernels, {.segments = {&segment, 1}, .x = x.data(), .x_stride = 256, .tokens = tokens, .depth = 256},
        2);
    for (int64_t t = 0; t < tokens; ++t) {
      for (int64_t n = 0; n < 40; ++n) {
        const auto at = static_cast<size_t>(t * 40 + n);
        if (n >= 37)
          EXPECT_EQ(y[at], before[at]) << "beyond the rows";
        else
          EXPECT_EQ(y[at],
                    plain[static_cast<size_t>(t * 37 + n)] + bias[static_cast<size_t>(n)] + before[at]);
      }
    }
  }
}

TEST_P(MatmulSegmentsOn, FusesSwiglu) {
  for (const int64_t tokens : {1, 3, 25}) {
    const Weight gate(ElementType::kQ4_0, 50, 256, 19), up(ElementType::kQ5_0, 50, 256, 20);
    // Gates from about -60 to 60: both ends of the exponential.
    const std::vector<float> x = random_values(tokens * 256, 21, 40.0f);
    std::vector<float> y(static_cast<size_t>(tokens * 50));
    const MatmulSegment segments[] = {gate.segment(y), up.segment(y)};
    run(*kernels,
        {.segments = segments,
         .x = x.data(),
         .x_stride = 256,
         .tokens = tokens,
         .depth = 256,
         .swiglu = true},
        2);
    const std::vector<float> g = product(*kernels, gate, x, tokens, 1),
                             u = product(*kernels, up, x, tokens, 1);
    for (size_t i = 0; i < y.size(); ++i) {
      const double wanted = static_cast<double>(g[i]) / (1.0 + std::exp(-static_cast<double>(g[i]))) *
                            static_cast<double>(u[i]);
      EXPECT_NEAR(static_cast<double>(y[i]), wanted, 4e-7 * std::fabs(wanted) + 1e-30) << g[i];
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
