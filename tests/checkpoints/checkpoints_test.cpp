// Real checkpoints, teacher-forced on the tokens that llama.cpp scored: the same greedy choices, and no
// further from the exact model (the same weights as F32) than llama.cpp itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <random>

#include "tests/checkpoints/model_runner.h"
#include "tests/checkpoints/oracle_files.h"
#include "tests/support/breaker.h"

namespace tenon::checkpoints {
namespace {

const test::Breaker other_pairs("E4_rope_pairs_of_the_other_mode",
                                "NEOX pairs for NORMAL ones and the reverse");

constexpr size_t kChunk = 512;          // tokens of each context
constexpr double kLargestRatio = 1.05;  // of mean KL, ours to llama.cpp's
constexpr double kSmallestShare = 0.5;  // of positions whose margin lets them be compared
constexpr int kResamples = 2000;        // of the bootstrap

void put_fault_in(decoder::NodeView& node) {
  auto* rope = std::get_if<decoder::RopeAttributes>(&node.attributes);
  if (rope == nullptr || !other_pairs.active()) return;
  rope->mode = rope->mode == decoder::RopeMode::kNeox ? decoder::RopeMode::kNormal : decoder::RopeMode::kNeox;
}

double log_sum_exp(std::span<const float> logits) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - largest));
  return largest + std::log(sum);
}

// sum of p log(p / q), p by the exact logits and q by the others.
double divergence(std::span<const float> exact, std::span<const float> other) {
  const double exact_norm = log_sum_exp(exact), other_norm = log_sum_exp(other);
  double sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double log_p = exact[i] - exact_norm;
    sum += std::exp(log_p) * (log_p - (other[i] - other_norm));
  }
  return sum;
}

size_t argmax(std::span<const float> logits) {
  return static_cast<size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

// Whether the choice that `logits` make stands out of the noise: their two best are further apart than twice
// the rms of llama.cpp's distance to the exact model at that position.
bool is_decided(std::span<const float> logits, double noise) {
  float first = -INFINITY, second = -INFINITY;
  for (const float logit : logits) {
    second = std::max(second, std::min(first, logit));
    first = std::max(first, logit);
  }
  return first - second > noise;
}

double noise_of(std::span<const float> llama, std::span<const float> exact) {
  double squares = 0;
  for (size_t i = 0; i < llama.size(); ++i) squares += std::pow(static_cast<double>(llama[i]) - exact[i], 2);
  return 2 * std::sqrt(squares / static_cast<double>(llama.size()));
}

// Greedy choices at decided positions. Over thousands of them llama.cpp itself differs from the exact model
// at a few, so that equality with llama.cpp everywhere is nothing that two quantised runs can have: we must
// not be further from the exact model's choices than llama.cpp is.
struct Choices {
  int decided = 0;                   // by llama.cpp's margin
  int unlike_llama = 0;              // of these
  int exactly_decided = 0;           // by the exact model's margin
  std::vector<double> ours, theirs;  // of these: 1 where the choice differs from the exact model's

  void add(std::span<const float> our_row, std::span<const float> llama, std::span<const float> exact) {
    const double noise = noise_of(llama, exact);
    if (is_decided(llama, noise)) {
      ++decided;
      unlike_llama += argmax(our_row) != argmax(llama);
    }
    if (is_decided(exact, noise)) {
      ++exactly_decided;
      ours.push_back(argmax(our_row) != argmax(exact));
      theirs.push_back(argmax(llama) != argmax(exact));
    }
  }
};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The middle 95 % of the mean of ours - theirs, pair by pair, under resampling.
std::pair<double, double> bootstrap_interval(const std::vector<double>& ours,
                                             const std::vector<double>& theirs) {
  std::mt19937_64 random(1);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (size_t k = 0; k < ours.size(); ++k) {
      const size_t at = random() % ours.size();
      sum += ours[at] - theirs[at];
    }
    means.push_back(sum / static_cast<double>(ours.size()));
  }
  std::sort(means.begin(), means.end());
  return {means[kResamples / 40], means[kResamples - 1 - kResamples / 40]};
}

// Whether ours is at most `factor` times theirs, or the difference is not told from chance.
bool no_larger(const std::vector<double>& ours, const std::vector<double>& theirs, double factor,
               const std::string& what) {
  const auto [low, high] = bootstrap_interval(ours, theirs);
  std::cout << "  " << what << ": ours " << mean(ours) << ", llama.cpp " << mean(theirs) << ", ratio "
            << mean(ours) / mean(theirs) << ", 95 % of the difference in [" << low << ", " << high << "]\n";
  return mean(ours) <= factor * mean(theirs) || (low <= 0 && 0 <= high);
}

void expect_as_close_as_llama(const std::string& model) {
  const auto scores = oracle_path("score/" + model);
  const NpyFile<int32_t> token_file(scores / "tokens.npy");
  const std::span<const int32_t> tokens = token_file.row(0);
  const auto file = gguf::File::open(TENON_SOURCE_DIR "/models/" + model + ".gguf").value();
  const auto sequence = open_sequence(file, {.runtime = runtimes().at(1),
                                             .cache_element = ElementType::kF16,
                                             .context = kChunk,
                                             .edit = put_fault_in});
  std::vector<double> ours, theirs;
  Choices choices;
  for (size_t begin = 0, index = 0; begin < tokens.size(); begin += kChunk, ++index) {
    char name[32];
    std::snprintf(name, sizeof name, "logits_%03zu.npy", index);
    const NpyFile<float> exact(scores / "exact" / name), llama(scores / "llama.cpp-f16" / name);
    sequence->reset();
    const auto rows = step(*sequence, tokens.subspan(begin, std::min(kChunk, tokens.size() - begin)));
    ASSERT_EQ(rows.size(), exact.rows());
    for (size_t row = 0; row < rows.size(); ++row) {
      ours.push_back(divergence(exact.row(row), rows[row]));
      theirs.push_back(divergence(exact.row(row), llama.row(row)));
      choices.add(rows[row], llama.row(row), exact.row(row));
    }
  }
  const double share = choices.decided / static_cast<double>(tokens.size());
  std::cout << model << ": " << tokens.size() << " tokens, " << choices.decided << " (" << 100 * share
            << " %) decided, " << choices.unlike_llama << " of them unlike llama.cpp's\n";
  EXPECT_GE(tokens.size(), 4000u);
  EXPECT_GE(share, kSmallestShare);
  EXPECT_TRUE(no_larger(ours, theirs, kLargestRatio, "KL to the exact model"));
  EXPECT_TRUE(no_larger(choices.ours, choices.theirs, 1.0,
                        "choices unlike the exact model's, of " + std::to_string(choices.exactly_decided)));
}

TEST(E4_Checkpoints, SmolLm2IsAsCloseToTheExactModelAsLlamaCpp) {
  expect_as_close_as_llama("SmolLM2-135M-Instruct-Q4_1");
}

TEST(E4_Checkpoints, QwenCoderIsAsCloseToTheExactModelAsLlamaCpp) {
  expect_as_close_as_llama("Qwen2.5-Coder-0.5B-Instruct-Q4_K_M");
}

}  // namespace
}  // namespace tenon::checkpoints
