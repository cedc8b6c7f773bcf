#include "tenon/text/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tenon::text {
namespace {

using Candidate = Sampler::Candidate;

// Logits that top-k looks at together.
constexpr size_t kBlock = 256;

// How many candidates are sorted at first when top-p looks for its end, and how much more each next time.
constexpr size_t kFirstSorted = 256;
constexpr size_t kSortedGrowth = 4;

bool is_likelier(const Candidate& a, const Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

Candidate candidate(std::span<const float> logits, size_t token) {
  const float logit = logits[token];
  return {std::isnan(logit) ? -std::numeric_limits<float>::infinity() : logit, static_cast<int32_t>(token)};
}

// e^((logit - best) / temperature), also where both are the same infinity.
double weight(float logit, float best, double temperature) {
  return logit == best ? 1.0
                       : std::exp((static_cast<double>(logit) - static_cast<double>(best)) / temperature);
}

std::optional<Error> check(std::string_view name, double value, bool may_be_negative) {
  if (std::isfinite(value) && (may_be_negative || value >= 0)) return std::nullopt;
  return Error{.code = ErrorCode::kInvalidArgument,
               .where = std::string(name),
               .wanted = may_be_negative ? "a finite number" : "a finite number of 0 or more",
               .found = std::to_string(value),
               .remedy = {}};
}

}  // namespace

Result<Sampler> Sampler::create(const SamplerParameters& parameters, int32_t vocabulary_size) {
  if (vocabulary_size < 1) throw std::invalid_argument("[Sampler::create] vocabulary_size must be 1 or more");
  if (auto error = check("temperature", parameters.temperature, true)) return *error;
  if (auto error = check("top_k", parameters.top_k, false)) return *error;
  if (auto error = check("top_p", parameters.top_p, false)) return *error;
  if (auto error = check("min_p", parameters.min_p, false)) return *error;
  return Sampler(parameters, vocabulary_size);
}

Sampler::Sampler(const SamplerParameters& parameters, int32_t vocabulary_size)
    : parameters_(parameters),
      vocabulary_size_(static_cast<size_t>(vocabulary_size)),
      random_(parameters.seed) {}

int32_t Sampler::sample(std::span<const float> logits) {
  if (logits.size() < vocabulary_size_) {
    throw std::invalid_argument("[Sampler::sample] " + std::to_string(logits.size()) + " logits for " +
                                std::to_string(vocabulary_size_) + " tokens");
  }
  keep_top_k(logits.first(vocabulary_size_));
  keep_top_p();
  keep_min_p();
  return draw();
}

void Sampler::keep_top_k(std::span<const float> logits) {
  const auto k = parameters_.temperature > 0 ? static_cast<size_t>(parameters_.top_k) : 1;
  const size_t first = k == 0 ? logits.size() : std::min(k, logits.size());
  candidates_.clear();
  for (size_t token = 0; token < first; ++token) candidates_.push_back(candidate(logits, token));
  if (first == logits.size()) {
    std::ranges::iter_swap(candidates_.begin(), std::ranges::min_element(candidates_, is_likelier));
    return;
  }
  // A heap whose front is the least likely of the best so far. Nearly all blocks hold nothing above it, which
  // the inner loop finds by vector instructions; a NaN is above nothing, and of equal logits the earlier one
  // stays.
  std::ranges::make_heap(candidates_, is_likelier);
  for (size_t begin = first; begin < logits.size(); begin += kBlock) {
    const std::span block = logits.subspan(begin, std::min(kBlock, logits.size() - begin));
    const float least = candidates_.front().logit;
    int above = 0;
    for (const float logit : block) above += logit > least;
    if (above == 0) continue;
    for (size_t i = 0; i < block.size(); ++i) {
      if (!(block[i] > candidates_.front().logit)) continue;
      std::ranges::pop_heap(candidates_, is_likelier);
      candidates_.back() = candidate(logits, begin + i);
      std::ranges::push_heap(candidates_, is_likelier);
    }
  }
  std::ranges::sort_heap(candidates_, is_likelier);
}

void Sampler::keep_top_p() {
  if (parameters_.top_p >= 1) return;
  const float best = candidates_.front().logit;
  double total = 0;
  for (const Candidate& one : candidates_) total += weight(one.logit, best, 1);
  double sum = 0;
  size_t sorted = 0;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (i == sorted) {  // the next likeliest ones in front of the rest, then in order
      const size_t end = std::min(candidates_.size(), std::max(kFirstSorted, sorted * kSortedGrowth));
      const std::span rest = std::span(candidates_).subspan(sorted);
      const auto middle = rest.begin() + static_cast<ptrdiff_t>(end - sorted);
      if (middle != rest.end()) std::ranges::nth_element(rest, middle, is_likelier);
      std::sort(rest.begin(), middle, is_likelier);
      sorted = end;
    }
    sum += weight(candidates_[i].logit, best, 1);
    if (sum >= static_cast<double>(parameters_.top_p) * total) {
      candidates_.resize(i + 1);
      return;
    }
  }
}

void Sampler::keep_min_p() {
  if (parameters_.min_p <= 0) return;
  // p_i >= min_p * p_best, in logits. The best one stays where min_p is above 1.
  const float best = candidates_.front().logit;
  const float least = std::min(best, best + std::log(parameters_.min_p));
  std::erase_if(candidates_, [least](const Candidate& one) { return one.logit < least; });
}

int32_t Sampler::draw() {
  // The top 53 bits: a uniform number in [0, 1). One is drawn for every token, so that a step's choice never
  // moves the numbers of the steps after it.
  const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;
  if (candidates_.size() == 1) return candidates_.front().token;
  const float best = candidates_.front().logit;
  double total = 0;
  weights_.clear();
  for (const Candidate& one : candidates_) {
    weights_.push_back(weight(one.logit, best, static_cast<double>(parameters_.temperature)));
    total += weights_.back();
  }
  double left = uniform * total;
  for (size_t i = 0; i < candidates_.size(); ++i) {
    left -= weights_[i];
    if (left < 0) return candidates_[i].token;
  }
  return candidates_.front().token;  // rounding left a rest
}

}  // namespace tenon::text
