// Figures of whole texts are held against llama-perplexity in tests/e2e; here is what those do not reach.
#include "tenon/engine/perplexity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon::engine {
namespace {

TEST(Perplexity, OfFewTokensHasNoError) {
  EXPECT_EQ(perplexity_of({}).value, 1);
  RunningMean one;
  one.add(2);
  EXPECT_DOUBLE_EQ(perplexity_of(one).value, std::exp(2));
  EXPECT_EQ(perplexity_of(one).error, 0);
}

TEST(Perplexity, LogSumIsThatOfLargeLogitsAndTellsOfWrongOnes) {
  EXPECT_DOUBLE_EQ(log_sum_of_exponentials(std::vector<float>{1000, 1000}), 1000 + std::log(2));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_DOUBLE_EQ(log_sum_of_exponentials(std::vector<float>{3, -kInfinity}), 3);
  for (const float wrong : {kInfinity, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_FALSE(std::isfinite(log_sum_of_exponentials(std::vector<float>{1, wrong, 2})));
}

TEST(Distribution, LiesBetweenItsSamples) {
  const Distribution three({5, -1, 2});
  EXPECT_EQ(three.at(0), -1);
  EXPECT_EQ(three.at(0.25), 0.5);
  EXPECT_EQ(three.at(0.5), 2);
  EXPECT_EQ(three.at(1), 5);
  EXPECT_EQ(Distribution({7}).at(0.9), 7);
}

TEST(Divergence, OfAModelFromItselfIsNone) {
  const std::vector<float> logits = {1, 3, -2, 0.5f};
  const double log_sum = log_sum_of_exponentials(logits);
  std::vector<float> base = logits;
  for (float& logit : base) logit -= static_cast<float>(log_sum);
  Divergence divergence;
  for (const int32_t next : {0, 1, 3}) divergence.add(logits, log_sum, base, next);
  const DivergenceSummary summary = divergence.summary();
  EXPECT_EQ(summary.tokens, 3);
  EXPECT_NEAR(summary.divergence.value, 0, 1e-6);
  EXPECT_NEAR(summary.ratio.value, 1, 1e-6);
  EXPECT_NEAR(summary.ratio.error, 0, 1e-6);
  EXPECT_NEAR(summary.correlation, 1, 1e-6);
  EXPECT_EQ(summary.same_top.value, 1);
  EXPECT_EQ(summary.same_top.error, 0);
  EXPECT_FALSE(std::isnan(summary.probability_change_rms.error));
}

TEST(Divergence, OfNothingAndOfOneTokenHasNoNan) {
  Divergence divergence;
  EXPECT_EQ(divergence.summary().tokens, 0);
  divergence.add(std::vector<float>{1, 2}, log_sum_of_exponentials(std::vector<float>{1, 2}),
                 std::vector<float>{-0.5f, -1}, 0);
  const DivergenceSummary summary = divergence.summary();
  for (const Estimate& estimate : {summary.perplexity, summary.ratio, summary.divergence, summary.difference,
                                   summary.probability_change_rms, summary.same_top}) {
    EXPECT_TRUE(std::isfinite(estimate.value));
    EXPECT_EQ(estimate.error, 0);
  }
  EXPECT_EQ(summary.same_top.value, 0);
}

}  // namespace
}  // namespace tenon::engine
