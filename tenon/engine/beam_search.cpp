#include "tenon/engine/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon::engine {

namespace {

struct Candidate {
  size_t parent = 0;
  int32_t token = 0;
  double log_probability = 0;  // of the parent and this token
};

bool is_better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return std::pair(a.parent, a.token) < std::pair(b.parent, b.token);  // the same on every machine
}

// The `count` likeliest tokens after one beam.
void add_candidates(std::span<const float> logits, size_t parent, double so_far, size_t count,
                    std::vector<Candidate>& out) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  const double normaliser = largest + std::log(sum);
  std::vector<Candidate> all(logits.size());
  for (size_t token = 0; token < logits.size(); ++token) {
    all[token] = {parent, static_cast<int32_t>(token),
                  so_far + static_cast<double>(logits[token]) - normaliser};
  }
  count = std::min(count, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), all.end(), is_better);
  out.insert(out.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
}

// Removes its sequences at the end, whatever happened.
class Sequences {
 public:
  explicit Sequences(runtime::PagedState& state) : state_(state), ids_{state.add()} {}
  ~Sequences() {
    for (const runtime::SequenceId id : ids_) state_.remove(id);
  }
  Sequences(const Sequences&) = delete;
  Sequences& operator=(const Sequences&) = delete;

  const std::vector<runtime::SequenceId>& ids() const { return ids_; }
  // Sequence i goes on from parents[i], one of those before.
  void follow(const std::vector<size_t>& parents) {
    while (ids_.size() < parents.size()) ids_.push_back(state_.fork(ids_[0]));
    while (ids_.size() > parents.size()) {
      // The ones too many leave last: a parent may be among them.
      std::vector<runtime::SequenceId> kept;
      for (const size_t parent : parents) kept.push_back(state_.fork(ids_[parent]));
      for (const runtime::SequenceId id : ids_) state_.remove(id);
      ids_ = std::move(kept);
      return;
    }
    std::vector<runtime::SequenceId> from;
    for (const size_t parent : parents) from.push_back(ids_[parent]);
    state_.reorder(ids_, from);
  }

 private:
  runtime::PagedState& state_;
  std::vector<runtime::SequenceId> ids_;
};

Status feed_prompt(Batch& batch, runtime::SequenceId sequence, std::span<const int32_t> prompt) {
  while (!prompt.empty()) {
    const size_t count = std::min(prompt.size(), static_cast<size_t>(batch.max_step_tokens()));
    const Feed feed[] = {{sequence, prompt.first(count)}};
    TENON_RETURN_IF_ERROR(batch.step(feed));
    prompt = prompt.subspan(count);
  }
  return {};
}

}  // namespace

Result<std::vector<Beam>> beam_search(Batch& batch, std::span<const int32_t> prompt,
                                      const BeamOptions& options) {
  const auto width = static_cast<size_t>(options.beams);
  Sequences sequences(batch.state());
  TENON_RETURN_IF_ERROR(feed_prompt(batch, sequences.ids()[0], prompt));
  std::vector<Beam> open(1), ended;
  const int64_t room = options.context - static_cast<int64_t>(prompt.size());
  const int64_t most = std::min(options.max_tokens, room);
  for (int64_t made = 0; made < most && ended.size() < width; ++made) {
    if (options.cancelled && options.cancelled()) break;
    std::vector<Candidate> candidates;
    for (size_t beam = 0; beam < open.size(); ++beam) {
      add_candidates(batch.logits(beam).first(static_cast<size_t>(options.vocabulary)), beam,
                     open[beam].log_probability, 2 * width, candidates);
    }
    std::sort(candidates.begin(), candidates.end(), is_better);

    std::vector<Beam> next;
    std::vector<size_t> parents;
    for (const Candidate& candidate : candidates) {
      if (next.size() == width || ended.size() == width) break;
      Beam beam = open[candidate.parent];
      beam.log_probability = candidate.log_probability;
      if (options.is_end(candidate.token)) {
        beam.ended = true;
        ended.push_back(std::move(beam));
        continue;
      }
      beam.tokens.push_back(candidate.token);
      next.push_back(std::move(beam));
      parents.push_back(candidate.parent);
    }
    open = std::move(next);
    if (open.empty() || made + 1 == most) break;
    sequences.follow(parents);
    std::vector<Feed> feeds;
    for (size_t beam = 0; beam < open.size(); ++beam)
      feeds.push_back({sequences.ids()[beam], std::span(&open[beam].tokens.back(), 1)});
    TENON_RETURN_IF_ERROR(batch.step(feeds));
  }
  for (Beam& beam : open) {
    if (!beam.tokens.empty()) ended.push_back(std::move(beam));
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const Beam& a, const Beam& b) { return a.score() > b.score(); });
  if (ended.size() > width) ended.resize(width);
  return ended;
}

}  // namespace tenon::engine
