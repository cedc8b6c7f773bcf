// Chooses the next token from the logits: top-k, top-p, min-p, temperature, in this order (llama.cpp's
// default chain without penalties), then one draw.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tenon/base/result.h"

namespace tenon::text {

struct SamplerParameters {
  float temperature = 0.8f;  // 0 or less: always the most likely token
  int32_t top_k = 40;        // keeps the k most likely tokens; 0 keeps all
  float top_p = 0.95f;       // keeps the fewest tokens whose probabilities sum to top_p; from 1 on keeps all
  float min_p = 0.05f;  // keeps tokens at least min_p times as likely as the most likely one; 0 keeps all
  uint64_t seed = 0;
};

// One request's sampler. The same seed, parameters and logits give the same tokens; equal logits go to the
// lower id. Every filter keeps at least one token.
class Sampler {
 public:
  struct Candidate {
    float logit;
    int32_t token;
  };

  // kInvalidArgument naming the parameter when one is NaN or infinite, or negative (but for temperature).
  // Throws std::invalid_argument for a vocabulary_size below 1.
  static Result<Sampler> create(const SamplerParameters& parameters, int32_t vocabulary_size);

  // `logits` by token id. Those from vocabulary_size on (padding rows of the embedding) are not looked at;
  // fewer throw std::invalid_argument. NaN counts as -infinity.
  int32_t sample(std::span<const float> logits);

  // What the last sample() drew from, before temperature.
  std::span<const Candidate> candidates() const { return candidates_; }
  const SamplerParameters& parameters() const { return parameters_; }

 private:
  Sampler(const SamplerParameters& parameters, int32_t vocabulary_size);
  void keep_top_k(std::span<const float> logits);
  void keep_top_p();
  void keep_min_p();
  int32_t draw();

  SamplerParameters parameters_;
  size_t vocabulary_size_;
  std::mt19937_64
      random_;  // its sequence is the standard's, the same everywhere; std's distributions are not
  std::vector<Candidate> candidates_;  // at least one; the first is the most likely
  std::vector<double> weights_;        // scratch
};

}  // namespace tenon::text
