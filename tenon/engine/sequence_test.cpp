#include "tenon/engine/sequence.h"

#include <gtest/gtest.h>

#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"

namespace tenon::engine {
namespace {

using test::exact_options;
using test::ModelRun;

const fixtures::Fixture& fixture() { return fixtures::fixture("llama-gqa4x2"); }
std::span<const int32_t> tokens() { return fixture().tokens; }
std::vector<float> copied(std::span<const float> row) { return {row.begin(), row.end()}; }

ModelRun open(const SessionOptions& options = exact_options(), const std::string& device = "ref") {
  static const auto file = test::file_of(fixture().spec);
  return test::open_run(file, test::make_backend({device, ""}), options);
}

std::vector<std::vector<float>> whole() {
  static const auto rows = open().logits(tokens(), std::vector<int32_t>{20});
  return rows;
}

TEST(Sequence, StepsOfAnyLengthsGiveTheSameLogits) {
  for (const StateForm layout : {StateForm::kInPlace, StateForm::kStateless}) {
    for (const std::vector<int32_t>& split : {std::vector<int32_t>{17, 1, 2}, {1, 8, 9, 1, 1}}) {
      EXPECT_EQ(open(exact_options(layout)).logits(tokens(), split), whole());
    }
  }
}

// Kernels for few tokens sum in another order than those for many.
TEST(Sequence, StepsOfAnyLengthsAgreeOnTheCpu) {
  const auto found = open(exact_options(), "cpu").logits(tokens(), std::vector<int32_t>{3, 1, 9, 7});
  ASSERT_EQ(found.size(), whole().size());
  for (size_t row = 0; row < found.size(); ++row) {
    EXPECT_LE(test::normalised_error(found[row], whole()[row]), 1e-11) << row;
  }
}

// States are rounded between steps, and kernels sum in their own order: contract S16's bound for the CPU.
TEST(Sequence, RecurrentStatesGoOnFromStepToStep) {
  for (const char* const name : {"mamba2-groups", "qwen35-gqa"}) {
    const fixtures::Fixture& recurrent = fixtures::fixture(name);
    const std::span<const int32_t> all = recurrent.tokens;
    const auto file = test::file_of(recurrent.spec);
    for (const char* const device : {"ref", "cpu"}) {
      SCOPED_TRACE(std::string(name) + " on " + device);
      ModelRun run = test::open_run(file, test::make_backend({device, ""}), exact_options());
      const auto wanted = run.logits(all, std::vector<int32_t>{20});
      const Status trimmed = run.sequence->trim(7);
      ASSERT_FALSE(trimmed.ok());
      EXPECT_EQ(trimmed.error().found, "recurrent state 'cache_r_l0'");
      EXPECT_EQ(run.sequence->length(), 20);
      run.sequence->reset();
      const auto found = run.logits(all, std::vector<int32_t>{3, 1, 9, 7});
      for (size_t row = 0; row < wanted.size(); ++row)
        EXPECT_LE(test::normalised_error(found.at(row), wanted[row]), 1e-9) << row;
    }
  }
}

TEST(Sequence, EveryStepOfARecurrentModelHasAKernelOfTheCpu) {
  for (const char* const name : {"mamba2-groups", "qwen35-gqa"}) {
    const ModelRun run = test::open_run(test::file_of(fixtures::fixture(name).spec),
                                        test::make_backend({"cpu", ""}), exact_options());
    for (const plan::StepList& list : run.compiled.plan->lists) {
      for (const plan::Step& step : list.steps)
        EXPECT_NE(step.row, "reference") << name << ": " << step.op << " '" << step.name << "'";
    }
  }
}

TEST(Sequence, LogitsAreThoseOfTheLastToken) {
  ModelRun run = open();
  ASSERT_TRUE(run.sequence->evaluate(tokens().first(7)).ok());
  EXPECT_EQ(copied(run.sequence->logits()), whole()[6]);
  ASSERT_TRUE(run.sequence->evaluate(tokens().subspan(7, 2)).ok());
  EXPECT_EQ(copied(run.sequence->logits()), whole()[8]);
  EXPECT_EQ(run.sequence->length(), 9);
}

TEST(Sequence, LongPromptsAreCutIntoSteps) {
  SessionOptions options = exact_options();
  options.max_step_tokens = 6;
  ModelRun run = open(options);
  std::vector<std::pair<int64_t, int64_t>> progress;
  ASSERT_TRUE(run.sequence
                  ->evaluate(tokens(), {.progress =
                                            [&](int64_t done, int64_t total) {
                                              progress.push_back({done, total});
                                            },
                                        .cancelled = {}})
                  .ok());
  EXPECT_EQ(progress, (std::vector<std::pair<int64_t, int64_t>>{{6, 20}, {12, 20}, {18, 20}, {20, 20}}));
  EXPECT_EQ(copied(run.sequence->logits()), whole()[19]);
  run.sequence->reset();
  std::vector<std::vector<float>> rows;
  ASSERT_TRUE(
      run.sequence->evaluate_all(tokens(), [&](std::span<const float> row) { rows.push_back(copied(row)); })
          .ok());
  EXPECT_EQ(rows, whole());
}

TEST(Sequence, CancellingKeepsTheStepsThatWereDone) {
  SessionOptions options = exact_options();
  options.max_step_tokens = 6;
  ModelRun run = open(options);
  int asked = 0;
  const Status status =
      run.sequence->evaluate(tokens(), {.progress = {}, .cancelled = [&] { return ++asked == 3; }});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(run.sequence->length(), 12);
  EXPECT_EQ(copied(run.sequence->logits()), whole()[11]);
  ASSERT_TRUE(run.sequence->evaluate(tokens().subspan(12)).ok());
  EXPECT_EQ(copied(run.sequence->logits()), whole()[19]);
}

TEST(Sequence, TokensOutsideOfTheEmbeddingAreRefusedBeforeAnyStep) {
  ModelRun run = open();
  for (const int32_t bad : {-1, fixtures::kVocabulary, INT32_MAX}) {
    const std::vector<int32_t> with_bad = {tokens()[0], bad};
    const Status status = run.sequence->evaluate(with_bad);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(status.error().where, "token id " + std::to_string(bad));
    EXPECT_EQ(run.sequence->length(), 0);
  }
}

TEST(Sequence, AFullContextIsRefusedBeforeAnyStep) {
  SessionOptions options = exact_options();
  options.context = 18;
  options.max_step_tokens = 5;
  ModelRun run = open(options);
  const Status status = run.sequence->evaluate(tokens());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kContextFull);
  EXPECT_EQ(run.sequence->length(), 0);
  ASSERT_TRUE(run.sequence->evaluate(tokens().first(18)).ok());
  EXPECT_EQ(copied(run.sequence->logits()), whole()[17]);
  EXPECT_EQ(run.sequence->evaluate(tokens().first(1)).error().code, ErrorCode::kContextFull);
  EXPECT_EQ(copied(run.sequence->logits()), whole()[17]);
}

TEST(Sequence, TrimmedAndContinuedIsAColdRun) {
  for (const StateForm layout : {StateForm::kInPlace, StateForm::kStateless}) {
    ModelRun run = open(exact_options(layout));
    ASSERT_TRUE(run.sequence->evaluate(tokens().first(10)).ok());
    const std::vector<int32_t> detour = {5, 6, 7, 8};
    ASSERT_TRUE(run.sequence->evaluate(detour).ok());
    ASSERT_TRUE(run.sequence->trim(9).ok());
    EXPECT_EQ(run.sequence->length(), 9);
    ASSERT_TRUE(run.sequence->evaluate(tokens().subspan(9)).ok());
    EXPECT_EQ(copied(run.sequence->logits()), whole()[19]);
    EXPECT_FALSE(run.sequence->trim(21).ok());
  }
}

TEST(Sequence, ResetIsAColdRun) {
  ModelRun run = open();
  ASSERT_TRUE(run.sequence->evaluate(std::vector<int32_t>{9, 8, 7, 6, 5}).ok());
  run.sequence->reset();
  EXPECT_EQ(run.logits(tokens(), std::vector<int32_t>{20}), whole());
}

TEST(Sequence, NoTokensChangeNothing) {
  ModelRun run = open();
  ASSERT_TRUE(run.sequence->evaluate(tokens().first(3)).ok());
  ASSERT_TRUE(run.sequence->evaluate({}).ok());
  EXPECT_EQ(run.sequence->length(), 3);
  EXPECT_EQ(copied(run.sequence->logits()), whole()[2]);
}

// 3 layers, keys and values, 64 rows of 2 heads of 16 floats.
TEST(Sequence, TellsTheMemoryOfItsCaches) {
  constexpr size_t kBytes = 3 * 2 * 64 * 2 * 16 * sizeof(float);
  EXPECT_EQ(open().sequence->state_bytes(), kBytes);
  EXPECT_EQ(open(exact_options(StateForm::kStateless)).sequence->state_bytes(), 2 * kBytes);
}

}  // namespace
}  // namespace tenon::engine
