#include "tenon/text/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace tenon::text {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Everything off but temperature 1.
constexpr SamplerParameters kPlain{.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 7};

Sampler sampler(const SamplerParameters& parameters, size_t vocabulary_size) {
  return Sampler::create(parameters, static_cast<int32_t>(vocabulary_size)).value();
}

// Tokens that one sample() left, by id.
std::vector<int32_t> survivors(const SamplerParameters& parameters, const std::vector<float>& logits) {
  Sampler one = sampler(parameters, logits.size());
  one.sample(logits);
  std::vector<int32_t> tokens;
  for (const Sampler::Candidate& candidate : one.candidates()) tokens.push_back(candidate.token);
  std::ranges::sort(tokens);
  return tokens;
}

SamplerParameters with(auto SamplerParameters::*member, auto value) {
  SamplerParameters parameters = kPlain;
  parameters.*member = value;
  return parameters;
}

// Probabilities 1/2, 1/4, 1/8, 1/16, 1/16 in another order.
const std::vector<float> kHalves = {std::log(0.0625f), std::log(0.25f), std::log(0.5f), std::log(0.0625f),
                                    std::log(0.125f)};

TEST(Sampler, TopK) {
  EXPECT_THAT(survivors(with(&SamplerParameters::top_k, 2), kHalves), ElementsAre(1, 2));
  EXPECT_THAT(survivors(with(&SamplerParameters::top_k, 4), kHalves), ElementsAre(0, 1, 2, 4))
      << "ties: lower id";
  EXPECT_EQ(survivors(with(&SamplerParameters::top_k, 0), kHalves).size(), 5u);
  EXPECT_EQ(survivors(with(&SamplerParameters::top_k, 10'000'000), kHalves).size(), 5u);
}

TEST(Sampler, TopP) {
  EXPECT_THAT(survivors(with(&SamplerParameters::top_p, 0.0f), kHalves), ElementsAre(2));
  EXPECT_THAT(survivors(with(&SamplerParameters::top_p, 0.49f), kHalves), ElementsAre(2));
  EXPECT_THAT(survivors(with(&SamplerParameters::top_p, 0.7f), kHalves), ElementsAre(1, 2));
  EXPECT_THAT(survivors(with(&SamplerParameters::top_p, 0.8f), kHalves), ElementsAre(1, 2, 4));
  EXPECT_EQ(survivors(with(&SamplerParameters::top_p, 2.0f), kHalves).size(), 5u);
}

TEST(Sampler, MinP) {
  EXPECT_THAT(survivors(with(&SamplerParameters::min_p, 0.45f), kHalves), ElementsAre(1, 2));
  EXPECT_THAT(survivors(with(&SamplerParameters::min_p, 0.2f), kHalves), ElementsAre(1, 2, 4));
  EXPECT_THAT(survivors(with(&SamplerParameters::min_p, 1.0f), kHalves), ElementsAre(2));
  EXPECT_THAT(survivors(with(&SamplerParameters::min_p, 9.0f), kHalves), ElementsAre(2))
      << "one always stays";
}

TEST(Sampler, FiltersComeBeforeTemperature) {
  SamplerParameters parameters = with(&SamplerParameters::top_p, 0.7f);
  parameters.temperature = 100;
  EXPECT_THAT(survivors(parameters, kHalves), ElementsAre(1, 2));
}

TEST(Sampler, NoTemperatureIsTheFirstOfTheBest) {
  for (const float temperature : {0.0f, -1.0f}) {
    SamplerParameters parameters;
    parameters.temperature = temperature;
    Sampler one = sampler(parameters, 4);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(one.sample(std::vector<float>{1, 3, 3, 2}), 1);
  }
}

TEST(Sampler, SurplusLogitsAreNotLookedAt) {
  Sampler one = sampler(kPlain, 3);
  for (int i = 0; i < 100; ++i) EXPECT_LT(one.sample(std::vector<float>{0, 0, 0, 99, kNan}), 3);
  EXPECT_THROW(one.sample(std::vector<float>{0, 0}), std::invalid_argument);
  EXPECT_THROW((void)Sampler::create(kPlain, 0), std::invalid_argument);
}

TEST(Sampler, BrokenLogitsStillGiveAToken) {
  for (SamplerParameters parameters :
       {kPlain, SamplerParameters{}, with(&SamplerParameters::temperature, 0.0f)}) {
    for (const float top_p : {0.9f, 1.0f}) {
      parameters.top_p = top_p;
      Sampler one = sampler(parameters, 3);
      EXPECT_EQ(one.sample(std::vector<float>{kNan, 1, kNan}), 1);
      EXPECT_EQ(one.sample(std::vector<float>{-kInfinity, -kInfinity, 0}), 2);
      EXPECT_EQ(one.sample(std::vector<float>{5, kInfinity, 7}), 1);
      const int32_t token = one.sample(std::vector<float>{kNan, kNan, -kInfinity});
      EXPECT_TRUE(token >= 0 && token < 3);
    }
  }
}

TEST(Sampler, NamesABadParameter) {
  const std::vector<std::pair<std::string, SamplerParameters>> cases = {
      {"temperature", with(&SamplerParameters::temperature, kNan)},
      {"temperature", with(&SamplerParameters::temperature, kInfinity)},
      {"top_k", with(&SamplerParameters::top_k, -1)},
      {"top_p", with(&SamplerParameters::top_p, -0.1f)},
      {"top_p", with(&SamplerParameters::top_p, kNan)},
      {"min_p", with(&SamplerParameters::min_p, -0.1f)},
      {"min_p", with(&SamplerParameters::min_p, kNan)},
  };
  for (const auto& [name, parameters] : cases) {
    const auto one = Sampler::create(parameters, 20);
    ASSERT_FALSE(one.ok()) << name;
    EXPECT_EQ(one.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(one.error().where, name);
  }
}

TEST(Sampler, SeedDecides) {
  SamplerParameters parameters = kPlain;
  const std::vector<float> flat(1000, 0.0f);
  const auto draw = [&](uint64_t seed) {
    parameters.seed = seed;
    Sampler one = sampler(parameters, flat.size());
    std::vector<int32_t> tokens;
    for (int i = 0; i < 8; ++i) tokens.push_back(one.sample(flat));
    return tokens;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
  // The upper 53 bits of the standard's mt19937_64, in thousandths: the same on every platform.
  EXPECT_THAT(draw(5489), ElementsAre(786, 250, 710, 946, 19, 404, 251, 22));
}

TEST(Sampler, AStepWithOneCandidateStillDraws) {
  const std::vector<float> flat(1000, 0.0f);
  std::vector<float> certain(1000, -kInfinity);
  certain[3] = 0;
  SamplerParameters parameters = kPlain;
  parameters.min_p = 0.5f;
  Sampler a = sampler(parameters, 1000), b = sampler(parameters, 1000);
  a.sample(flat);
  EXPECT_EQ(b.sample(certain), 3);
  EXPECT_EQ(a.sample(flat), b.sample(flat)) << "later steps do not move";
}

// Results of llama.cpp's samplers in the same order; the logits are those of
// tools/oracle/command_samplers.cpp.
class SamplerGolden : public testing::Test {
 protected:
  SamplerGolden() {
    std::ifstream file(TENON_SOURCE_DIR "/tests/golden/samplers/filters.json");
    golden_ = nlohmann::json::parse(file);
  }

  static std::vector<float> logits(int32_t count) {
    std::vector<float> out;
    for (int32_t token = 0; token < count; ++token) {
      const float u = static_cast<float>(static_cast<uint32_t>(token + 1) * 2654435761u >> 9) * 0x1p-23f;
      const float u2 = u * u;
      const float u4 = u2 * u2;
      out.push_back(24.0f * (u4 * u4));
    }
    return out;
  }

  static SamplerParameters parameters(const nlohmann::json& one) {
    return {.temperature = one["temperature"],
            .top_k = one["top_k"],
            .top_p = one["top_p"],
            .min_p = one["min_p"],
            .seed = 42};
  }

  nlohmann::json golden_;
};

TEST_F(SamplerGolden, FiltersLeaveWhatLlamaCppsLeave) {
  EXPECT_EQ(golden_["cases"].size(), 14u);
  for (const auto& one : golden_["cases"]) {
    EXPECT_EQ(survivors(parameters(one), logits(one["vocabulary_size"])),
              one["tokens"].get<std::vector<int32_t>>())
        << one["name"];
  }
}

// Pearson's chi-square of 20,000 draws against llama.cpp's probabilities, on the small vocabularies. Its mean
// is the degrees of freedom d and its variance 2 d: five deviations above the mean are nearly impossible, and
// the seed is fixed.
TEST_F(SamplerGolden, DrawsFollowLlamaCppsProbabilities) {
  constexpr int kDraws = 20'000;
  int compared = 0;
  for (const auto& one : golden_["cases"]) {
    const auto values = logits(one["vocabulary_size"]);
    if (values.size() > 2000) continue;
    ++compared;
    Sampler drawing = sampler(parameters(one), values.size());
    std::map<int32_t, int> counts;
    for (int i = 0; i < kDraws; ++i) ++counts[drawing.sample(values)];
    double chi_square = 0, rare_wanted = 0, rare_found = 0;
    int cells = 0;
    for (size_t i = 0; i < one["tokens"].size(); ++i) {
      const double wanted = kDraws * one["probabilities"][i].get<double>();
      const double found = counts[one["tokens"][i]];
      if (wanted < 5) {  // too few for the statistic: together
        rare_wanted += wanted, rare_found += found;
        continue;
      }
      chi_square += (found - wanted) * (found - wanted) / wanted;
      ++cells;
    }
    if (rare_wanted >= 5)
      chi_square += (rare_found - rare_wanted) * (rare_found - rare_wanted) / rare_wanted, ++cells;
    EXPECT_LE(chi_square, cells - 1 + 5 * std::sqrt(2.0 * cells)) << one["name"];
  }
  EXPECT_EQ(compared, 8);
}

}  // namespace
}  // namespace tenon::text
