// The kernels with a state against themselves: what does not depend on how the tokens come. Their numbers are
// held against ggml by tests/conform.
#include "tenon/cpu/recurrent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tenon/cpu/test_support.h"

namespace tenon::cpu {
namespace {

class RecurrentOn : public EachIsa {
 protected:
  template <class Job>
  void run(void (*kernel)(const Job&, const Worker&), const Job& job) {
    pool.run([&](const Worker& worker) { kernel(job, worker); });
  }
  ThreadPool pool{3};
};
TENON_EACH_ISA(RecurrentOn);

std::vector<float> zeros(int64_t count) { return std::vector<float>(static_cast<size_t>(count)); }

// Channels and tokens that fill neither a vector nor a tile; one tap to eight.
TEST_P(RecurrentOn, ConvolutionIsTheSumOfItsTaps) {
  for (const int64_t kernel : {1, 4, 8}) {
    for (const int64_t tokens : {1, 31, 70}) {
      constexpr int64_t kChannels = 37, kStride = 90;
      const std::vector<float> x = random_values(kChannels * kStride, 1),
                               weight = random_values(kChannels * kernel, 2);
      std::vector<float> y = zeros(tokens * (kChannels + 3));
      run(kernels->ssm_conv, SsmConvJob{.x = x.data(),
                                        .x_stride = kStride,
                                        .weight = weight.data(),
                                        .output = y.data(),
                                        .output_stride = kChannels + 3,
                                        .channels = kChannels,
                                        .tokens = tokens,
                                        .kernel = kernel});
      for (int64_t t = 0; t < tokens; ++t) {
        for (int64_t c = 0; c < kChannels + 3; ++c) {
          double wanted = 0, size = 0;
          for (int64_t k = 0; c < kChannels && k < kernel; ++k) {
            const double term = static_cast<double>(x[static_cast<size_t>(c * kStride + t + k)]) *
                                static_cast<double>(weight[static_cast<size_t>(c * kernel + k)]);
            wanted += term;
            size += std::fabs(term);
          }
          // One rounding to a tap, of at most the sum so far.
          ASSERT_NEAR(static_cast<double>(y[static_cast<size_t>(t * (kChannels + 3) + c)]), wanted,
                      static_cast<double>(kernel) * 0x1p-24 * size);
        }
      }
    }
  }
}

// Many tokens in one step are the same as each in its own, bit for bit: memory and all.
TEST_P(RecurrentOn, ScanOfManyTokensIsThatOfEach) {
  constexpr int64_t kTokens = 5, kHeads = 4, kGroups = 2, kSize = 18, kWidth = 21;
  constexpr int64_t kStateFloats = kHeads * kSize * kWidth, kRow = kHeads * kSize;
  const std::vector<float> state = random_values(kStateFloats, 1), x = random_values(kTokens * kRow, 2);
  const std::vector<float> dt = random_values(kTokens * kHeads, 3), decay = {-0.1f, -0.5f, -1.0f, -2.0f};
  const std::vector<float> b = random_values(kTokens * kGroups * kWidth, 4),
                           c = random_values(kTokens * kGroups * kWidth, 5);
  std::vector<float> y = zeros(kTokens * kRow), next = zeros(kStateFloats);
  SsmScanJob job{.state = state.data(),
                 .x = x.data(),
                 .x_token_stride = kRow,
                 .x_head_stride = kSize,
                 .dt = dt.data(),
                 .dt_stride = kHeads,
                 .decay = decay.data(),
                 .b = b.data(),
                 .b_token_stride = kGroups * kWidth,
                 .b_group_stride = kWidth,
                 .c = c.data(),
                 .c_token_stride = kGroups * kWidth,
                 .c_group_stride = kWidth,
                 .output = y.data(),
                 .next = next.data(),
                 .tokens = kTokens,
                 .heads = kHeads,
                 .groups = kGroups,
                 .size = kSize,
                 .width = kWidth};
  run(kernels->ssm_scan, job);

  std::vector<float> each = zeros(kTokens * kRow), before = state, after = zeros(kStateFloats);
  job.tokens = 1;
  for (int64_t t = 0; t < kTokens; ++t) {
    job.state = before.data();
    job.next = after.data();
    job.x = x.data() + t * kRow;
    job.dt = dt.data() + t * kHeads;
    job.b = b.data() + t * kGroups * kWidth;
    job.c = c.data() + t * kGroups * kWidth;
    job.output = each.data() + t * kRow;
    run(kernels->ssm_scan, job);
    std::swap(before, after);
  }
  EXPECT_EQ(each, y);
  EXPECT_EQ(before, next);
}

TEST_P(RecurrentOn, DeltaNetOfManyTokensIsThatOfEach) {
  constexpr int64_t kTokens = 5, kHeads = 6, kGroups = 2, kSize = 21;
  constexpr int64_t kStateFloats = kHeads * kSize * kSize, kRow = kHeads * kSize, kKeyRow = kGroups * kSize;
  const std::vector<float> state = random_values(kStateFloats, 1), v = random_values(kTokens * kRow, 2);
  const std::vector<float> q = random_values(kTokens * kKeyRow, 3, 0.2f),
                           k = random_values(kTokens * kKeyRow, 4, 0.2f);
  const std::vector<float> gate = random_values(kTokens * kHeads, 5, 0.1f),
                           beta = random_values(kTokens * kHeads, 6, 0.2f);
  std::vector<float> y = zeros(kTokens * kRow), next = zeros(kStateFloats);
  DeltaNetJob job{.q = q.data(),
                  .q_token_stride = kKeyRow,
                  .q_group_stride = kSize,
                  .k = k.data(),
                  .k_token_stride = kKeyRow,
                  .k_group_stride = kSize,
                  .v = v.data(),
                  .v_token_stride = kRow,
                  .v_head_stride = kSize,
                  .gate = gate.data(),
                  .gate_stride = kHeads,
                  .beta = beta.data(),
                  .beta_stride = kHeads,
                  .state = state.data(),
                  .output = y.data(),
                  .next = next.data(),
                  .tokens = kTokens,
                  .heads = kHeads,
                  .groups = kGroups,
                  .size = kSize};
  run(kernels->gated_delta_net, job);

  std::vector<float> each = zeros(kTokens * kRow), before = state, after = zeros(kStateFloats);
  job.tokens = 1;
  for (int64_t t = 0; t < kTokens; ++t) {
    job.state = before.data();
    job.next = after.data();
    job.q = q.data() + t * kKeyRow;
    job.k = k.data() + t * kKeyRow;
    job.v = v.data() + t * kRow;
    job.gate = gate.data() + t * kHeads;
    job.beta = beta.data() + t * kHeads;
    job.output = each.data() + t * kRow;
    run(kernels->gated_delta_net, job);
    std::swap(before, after);
  }
  EXPECT_EQ(each, y);
  EXPECT_EQ(before, next);
}

}  // namespace
}  // namespace tenon::cpu
