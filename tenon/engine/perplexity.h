// What perplexity and divergence are made of: sums over scored tokens, and estimates with their standard
// errors. The formulas are those of llama.cpp's tools/perplexity, in f64.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tenon/base/result.h"

namespace tenon::engine {

struct Estimate {
  double value = 0;
  double error = 0;  // standard error of the mean; 0 for a single sample
};

// Of one quantity.
class RunningMean {
 public:
  void add(double sample) {
    sum_ += sample;
    squares_ += sample * sample;
    ++count_;
  }
  int64_t count() const { return count_; }
  Estimate mean() const;

 private:
  double sum_ = 0, squares_ = 0;
  int64_t count_ = 0;
};

// logits[i] minus this is the log probability of i. Not finite where a logit is NaN or +infinity.
double log_sum_of_exponentials(std::span<const float> logits);

// exp of the mean of -log p(next token), with its error to first order.
Estimate perplexity_of(const RunningMean& negative_log);

// Smallest, largest and what lies between, of samples in any order.
class Distribution {
 public:
  explicit Distribution(std::vector<float> samples);  // at least one
  // Between the two samples around; 0 is the smallest, 1 the largest.
  double at(double fraction) const;

 private:
  std::vector<float> sorted_;
};

struct DivergenceSummary {
  int64_t tokens = 0;
  Estimate perplexity, base_perplexity;
  double correlation = 0;                               // of both -log p
  Estimate log_ratio, ratio;                            // of the perplexities: ln(ours / base), ours / base
  Estimate difference;                                  // ours - base
  Estimate divergence;                                  // KL(base || ours) of a token, in nats
  Estimate probability_change, probability_change_rms;  // of the token that follows: ours - base
  Estimate same_top;                                    // share of tokens with the same likeliest next one
};

// One model's logits beside another's log probabilities.
class Divergence {
 public:
  // `log_sum` is log_sum_of_exponentials(logits); the spans have one length and hold `next`.
  void add(std::span<const float> logits, double log_sum, std::span<const float> base, int32_t next);

  int64_t tokens() const { return divergence_.count(); }
  DivergenceSummary summary() const;
  Distribution divergences() const { return Distribution(divergences_); }
  Distribution probability_changes() const { return Distribution(changes_); }

 private:
  RunningMean negative_log_, base_negative_log_, divergence_, change_, squared_change_;
  double products_ = 0;  // of both -log p
  int64_t same_top_ = 0;
  std::vector<float> divergences_, changes_;
};

}  // namespace tenon::engine
