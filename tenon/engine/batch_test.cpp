#include "tenon/engine/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tenon/engine/beam_search.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"

namespace tenon::engine {
namespace {

using runtime::SequenceId;
constexpr int64_t kContext = 64, kSequences = 4;

// A fixture on one device: batches, and cold runs of single sequences to compare with.
class Trial {
 public:
  Trial(std::string_view name, const test::RunDevice& device)
      : fixture_(fixtures::fixture(name)),
        file_(test::file_of(fixture_.spec)),
        backend_(test::make_backend(device)) {}

  std::span<const int32_t> tokens() const { return fixture_.tokens; }

  std::unique_ptr<Batch> batch(bool all_logits = true) const {
    SessionOptions options = test::exact_options(StateForm::kPaged);
    options.context = kContext;
    options.all_logits = all_logits;
    Compiled compiled =
        compile(file_, *find_device(backend_->name()).value(), *backend_, options, kSequences).value();
    return Batch::create(backend_, compiled.plan,
                         {.blocks = kSequences * 2, .vocabulary_rows = width(), .poison_freed_blocks = true})
        .value();
  }

  // The logits after `tokens` from an empty context.
  std::vector<float> cold(std::span<const int32_t> tokens) const {
    test::ModelRun run = test::open_run(file_, backend_, test::exact_options());
    EXPECT_TRUE(run.sequence->evaluate(tokens).ok());
    const std::span<const float> row = run.sequence->logits();
    return {row.begin(), row.end()};
  }

  void expect_as_cold(std::span<const float> found, std::span<const int32_t> tokens) const {
    EXPECT_LE(test::normalised_error(found, cold(tokens)), backend_->name() == "ref" ? 1e-12 : 1e-9);
  }

  int64_t width() const {
    if (width_ == 0) width_ = static_cast<int64_t>(cold(tokens().first(1)).size());
    return width_;
  }

 private:
  const fixtures::Fixture& fixture_;
  std::shared_ptr<const gguf::File> file_;
  std::shared_ptr<runtime::Backend> backend_;
  mutable int64_t width_ = 0;
};

std::vector<int32_t> joined(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int32_t> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

class BatchTest : public testing::TestWithParam<const char*> {};

TEST_P(BatchTest, SequencesOfDifferentLengthsGoOnInOneCall) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const Trial trial(GetParam(), device);
    const auto batch = trial.batch();
    const std::span<const int32_t> a = trial.tokens().first(9), b = trial.tokens().subspan(3, 14),
                                   c = trial.tokens().subspan(7, 2), next = trial.tokens().subspan(16, 2);
    const SequenceId ids[] = {batch->state().add(), batch->state().add(), batch->state().add()};
    const Feed prompts[] = {{ids[0], a}, {ids[1], b}, {ids[2], c}};
    ASSERT_TRUE(batch->step(prompts).ok());
    trial.expect_as_cold(batch->logits(0), a);
    trial.expect_as_cold(batch->logits(1), b);
    trial.expect_as_cold(batch->logits(2), c);

    // One decodes, one appends two tokens, in another order; the third rests.
    const Feed more[] = {{ids[2], next}, {ids[0], next.first(1)}};
    ASSERT_TRUE(batch->step(more).ok());
    trial.expect_as_cold(batch->logits(0), joined(c, next));
    trial.expect_as_cold(batch->logits(1), joined(a, next.first(1)));
    const Feed rested[] = {{ids[1], next.first(1)}};
    ASSERT_TRUE(batch->step(rested).ok());
    trial.expect_as_cold(batch->logits(0), joined(b, next.first(1)));
  }
}

TEST_P(BatchTest, OfAPlanForLastTokensEachFeedHasItsRow) {
  const Trial trial(GetParam(), {"ref", ""});
  const auto batch = trial.batch(false);
  const std::span<const int32_t> a = trial.tokens().first(9), b = trial.tokens().subspan(3, 4);
  const SequenceId ids[] = {batch->state().add(), batch->state().add()};
  const Feed all[] = {{ids[0], a, true}, {ids[1], b}};
  const Status refused = batch->step(all);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("logits of 1 to 4 tokens"), std::string::npos);
  const Feed last[] = {{ids[0], a}, {ids[1], b}};
  ASSERT_TRUE(batch->step(last).ok());
  trial.expect_as_cold(batch->logits(0), a);
  trial.expect_as_cold(batch->logits(1), b);
}

TEST_P(BatchTest, ForksShareTheirPastAndPartWhereTheyWrite) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const Trial trial(GetParam(), device);
    const auto batch = trial.batch();
    const std::span<const int32_t> past = trial.tokens().first(11), one = trial.tokens().subspan(12, 1),
                                   two = trial.tokens().subspan(13, 2);
    runtime::PagedState& state = batch->state();
    const SequenceId parent = state.add();
    const Feed prompt[] = {{parent, past}};
    ASSERT_TRUE(batch->step(prompt).ok());
    const int64_t free = state.pool().free_count();
    const SequenceId child = state.fork(parent);
    EXPECT_EQ(state.pool().free_count(), free) << "a fork copies nothing";
    const Feed both[] = {{parent, one}, {child, two}};
    ASSERT_TRUE(batch->step(both).ok());
    EXPECT_EQ(state.pool().free_count(), free - 1) << "one of two copied the block that both wrote into";
    trial.expect_as_cold(batch->logits(0), joined(past, one));
    trial.expect_as_cold(batch->logits(1), joined(past, two));
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, BatchTest, testing::Values("llama-gqa4x2", "gemma3-gqa"),
                         [](const auto& test) { return test.index == 0 ? "llama" : "gemma3"; });

TEST(Batch, ErrorsChangeNothing) {
  const Trial trial("llama-gqa4x2", {"ref", ""});
  const auto batch = trial.batch();
  const SequenceId id = batch->state().add();
  const int32_t wrong[] = {1, -1};
  const Feed bad[] = {{id, wrong}}, empty[] = {{id, {}}};
  EXPECT_FALSE(batch->step(bad).ok());
  EXPECT_FALSE(batch->step(empty).ok());
  EXPECT_FALSE(batch->step({}).ok());
  EXPECT_EQ(batch->state().length(id), 0);
}

// ---- beam search ----

// The same by cold runs of whole texts and full sorts.
std::vector<int32_t> plain_beam_search(const Trial& trial, std::span<const int32_t> prompt, size_t beams,
                                       int64_t tokens, int32_t vocabulary) {
  std::vector<std::pair<double, std::vector<int32_t>>> open = {{0.0, {}}};
  for (int64_t i = 0; i < tokens; ++i) {
    std::vector<std::pair<double, std::vector<int32_t>>> all;
    for (const auto& [score, text] : open) {
      std::vector<float> logits = trial.cold(joined(prompt, text));
      logits.resize(static_cast<size_t>(vocabulary));
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      for (int32_t token = 0; token < vocabulary; ++token) {
        std::vector<int32_t> longer = text;
        longer.push_back(token);
        all.emplace_back(score + static_cast<double>(logits[static_cast<size_t>(token)]) - std::log(sum),
                         longer);
      }
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    all.resize(beams);
    open = std::move(all);
  }
  return open.front().second;
}

TEST(BeamSearch, FindsWhatAPlainSearchFinds) {
  const Trial trial("llama-gqa4x2", {"ref", ""});
  const auto batch = trial.batch();
  const auto vocabulary = static_cast<int32_t>(trial.width());
  for (const int32_t beams : {1, 3}) {
    const auto found = beam_search(*batch, trial.tokens().first(6),
                                   {.beams = beams,
                                    .max_tokens = 5,
                                    .context = kContext,
                                    .vocabulary = vocabulary,
                                    .is_end = [](int32_t) { return false; }})
                           .value();
    ASSERT_EQ(found.size(), static_cast<size_t>(beams));
    EXPECT_EQ(found[0].tokens,
              plain_beam_search(trial, trial.tokens().first(6), static_cast<size_t>(beams), 5, vocabulary));
    EXPECT_EQ(batch->state().pool().free_count(), batch->state().pool().block_count())
        << "all blocks are free again";
  }
}

TEST(BeamSearch, AnEndEndsABeamAndIsNoPartOfIt) {
  const Trial trial("llama-gqa4x2", {"ref", ""});
  const auto batch = trial.batch();
  const std::vector<float> first = trial.cold(trial.tokens().first(6));
  const auto likeliest = static_cast<int32_t>(std::max_element(first.begin(), first.end()) - first.begin());
  const auto found = beam_search(*batch, trial.tokens().first(6),
                                 {.beams = 2,
                                  .max_tokens = 4,
                                  .context = kContext,
                                  .vocabulary = static_cast<int32_t>(trial.width()),
                                  .is_end = [&](int32_t token) { return token == likeliest; }})
                         .value();
  const auto ended =
      std::find_if(found.begin(), found.end(), [](const Beam& beam) { return beam.tokens.empty(); });
  ASSERT_NE(ended, found.end());
  EXPECT_TRUE(ended->ended);
  for (const Beam& beam : found) EXPECT_EQ(std::count(beam.tokens.begin(), beam.tokens.end(), likeliest), 0);
}

}  // namespace
}  // namespace tenon::engine
