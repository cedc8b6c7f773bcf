#include "tenon/engine/perplexity.h"

#include <algorithm>
#include <cmath>

namespace tenon::engine {

namespace {

// Of f(x), to first order: |f'| times the error of x.
Estimate exponential(const Estimate& x) {
  const double value = std::exp(x.value);
  return {value, value * x.error};
}

double root(double square) { return std::sqrt(std::max(square, 0.0)); }

}  // namespace

Estimate RunningMean::mean() const {
  if (count_ == 0) return {};
  const auto count = static_cast<double>(count_);
  const double mean = sum_ / count;
  if (count_ == 1) return {mean, 0};
  return {mean, root((squares_ / count - mean * mean) / (count - 1))};
}

double log_sum_of_exponentials(std::span<const float> logits) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += static_cast<double>(std::exp(logit - largest));
  return static_cast<double>(largest) + std::log(sum);
}

Estimate perplexity_of(const RunningMean& negative_log) { return exponential(negative_log.mean()); }

Distribution::Distribution(std::vector<float> samples) : sorted_(std::move(samples)) {
  std::sort(sorted_.begin(), sorted_.end());
}

double Distribution::at(double fraction) const {
  const double place = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(sorted_.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted_.size() - 1);
  const double share = place - static_cast<double>(below);
  return (1 - share) * static_cast<double>(sorted_[below]) + share * static_cast<double>(sorted_[above]);
}

void Divergence::add(std::span<const float> logits, double log_sum, std::span<const float> base,
                     int32_t next) {
  constexpr float kSmallest = -16;  // the base file keeps nothing below
  const double ours = log_sum - static_cast<double>(logits[static_cast<size_t>(next)]);
  const double theirs = -static_cast<double>(base[static_cast<size_t>(next)]);
  negative_log_.add(ours);
  base_negative_log_.add(theirs);
  products_ += ours * theirs;

  double divergence = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (base[i] <= kSmallest) continue;
    divergence += static_cast<double>(std::exp(base[i])) *
                  (static_cast<double>(base[i]) - static_cast<double>(logits[i]) + log_sum);
  }
  divergence_.add(divergence);
  divergences_.push_back(static_cast<float>(divergence));
  const auto top = [](std::span<const float> row) {
    return std::max_element(row.begin(), row.end()) - row.begin();
  };
  if (top(logits) == top(base)) ++same_top_;

  const double change = std::exp(-ours) - std::exp(-theirs);
  change_.add(change);
  squared_change_.add(change * change);
  changes_.push_back(static_cast<float>(change));
}

DivergenceSummary Divergence::summary() const {
  DivergenceSummary out;
  out.tokens = tokens();
  if (out.tokens == 0) return out;
  const auto count = static_cast<double>(out.tokens);
  const Estimate ours = negative_log_.mean(), base = base_negative_log_.mean();
  out.perplexity = exponential(ours);
  out.base_perplexity = exponential(base);
  const double covariance = out.tokens == 1 ? 0 : (products_ / count - ours.value * base.value) / (count - 1);
  if (ours.error > 0 && base.error > 0) out.correlation = covariance / (ours.error * base.error);
  out.log_ratio = {ours.value - base.value,
                   root(ours.error * ours.error + base.error * base.error - 2 * covariance)};
  out.ratio = exponential(out.log_ratio);
  const double a = out.perplexity.error, b = out.base_perplexity.error;
  out.difference = {out.perplexity.value - out.base_perplexity.value,
                    root(a * a + b * b - 2 * out.perplexity.value * out.base_perplexity.value * covariance)};
  out.divergence = divergence_.mean();
  out.probability_change = change_.mean();
  const Estimate squared = squared_change_.mean();
  const double rms = std::sqrt(squared.value);
  out.probability_change_rms = {rms, rms > 0 ? 0.5 / rms * squared.error : 0};
  const double same = static_cast<double>(same_top_) / count;
  out.same_top = {same, out.tokens == 1 ? 0 : std::sqrt(same * (1 - same) / (count - 1))};
  return out;
}

}  // namespace tenon::engine
