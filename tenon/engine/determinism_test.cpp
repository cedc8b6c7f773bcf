// What the CPU's kernels make of tokens, by the way in which they are fed: to the bit with deterministic
// ones.
#include <gtest/gtest.h>

#include "tenon/engine/batch.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"
#include "tests/support/test_name.h"

namespace tenon::engine {
namespace {

constexpr int32_t kTokens = 80, kContext = 96;  // more than the keys that attention takes at once
using Rows = std::vector<std::vector<float>>;
using Steps = std::vector<int32_t>;

std::vector<int32_t> tokens() {
  std::vector<int32_t> out;
  for (int32_t i = 0; i < kTokens; ++i) out.push_back((i * 37 + 5) % 256);
  return out;
}

const Steps kWhole = {kTokens};
// On both sides of every border at which a kernel changes its way.
const Steps kShort = {1, 2, 3, 4, 5, 7, 8, 9, 17, 24}, kMixed = {33, 1, 30, 1, 1, 14}, kLong = {63, 1, 16};

std::vector<test::RunDevice> cpus() {
  std::vector<test::RunDevice> out = test::run_devices();
  std::erase_if(out, [](const test::RunDevice& device) { return device.name != "cpu"; });
  return out;
}

Rows rows_of(const std::string& fixture, const std::shared_ptr<runtime::Backend>& backend, StateForm form,
             const Steps& split) {
  SessionOptions options = test::exact_options(form);
  options.kv_type = KvType::kF16;
  options.context = options.max_step_tokens = kContext;
  return test::open_run(test::file_of(fixtures::fixture(fixture).spec), backend, options)
      .logits(tokens(), split);
}

class DeterminismOf : public testing::TestWithParam<const char*> {};

TEST_P(DeterminismOf, NeitherStepsNorThreadsNorOwnersOfTheStateChangeABit) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto alone = test::make_backend(device, 1, true), two = test::make_backend(device, 2, true);
    const Rows expected = rows_of(GetParam(), alone, StateForm::kInPlace, kWhole);
    for (const Steps& split : {kShort, kMixed, kLong}) {
      EXPECT_EQ(rows_of(GetParam(), two, StateForm::kInPlace, split), expected)
          << testing::PrintToString(split);
    }
    for (const StateForm form : {StateForm::kStateless, StateForm::kStateful, StateForm::kPaged})
      EXPECT_EQ(rows_of(GetParam(), two, form, kMixed), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DeterminismOf,
                         testing::Values("llama-gqa4x2", "llama-mixed-types", "gemma3-gqa", "qwen3moe-gqa",
                                         "gpt-oss-mxfp4", "qwen35-gqa", "mamba2-groups"),
                         [](const auto& value) { return test::test_name(value.param); });

// The kernels that are chosen otherwise: threads change nothing, nor does any step of more than eight tokens.
TEST(Determinism, OfTheFastestKernelsEndsAtShortSteps) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto alone = test::make_backend(device, 1), two = test::make_backend(device, 2);
    const auto rows = [](const auto& backend, const Steps& split) {
      return rows_of("llama-gqa4x2", backend, StateForm::kInPlace, split);
    };
    const Rows expected = rows(alone, kWhole);
    EXPECT_EQ(rows(two, kWhole), expected);
    EXPECT_EQ(rows(two, {43, 37}), expected);
    EXPECT_NE(rows(alone, kShort), expected);
  }
}

TEST(Determinism, ABatchChangesNoBit) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto backend = test::make_backend(device, 2, true);
    const auto file = test::file_of(fixtures::fixture("llama-mixed-types").spec);
    SessionOptions options = test::exact_options(StateForm::kPaged);
    options.kv_type = KvType::kF16;
    options.context = options.max_step_tokens = kContext;
    const Compiled compiled = compile(file, *find_device("cpu").value(), *backend, options, 3).value();
    const std::vector<int32_t> all = tokens();
    const Rows expected = rows_of("llama-mixed-types", backend, StateForm::kInPlace, kWhole);
    const auto batch =
        Batch::create(backend, compiled.plan,
                      {.blocks = 9, .vocabulary_rows = static_cast<int64_t>(expected[0].size())})
            .value();
    const std::span<const int32_t> text = all;
    const runtime::SequenceId a = batch->state().add(), b = batch->state().add(), c = batch->state().add();
    const auto expect = [&](size_t feed, size_t token) {
      const std::span<const float> found = batch->logits(feed);
      EXPECT_EQ(std::vector<float>(found.begin(), found.end()), expected[token]) << feed;
    };
    const Feed first[] = {{a, text.first(20)}, {b, text.first(3)}, {c, text.first(11)}};
    const Status stepped = batch->step(first);
    ASSERT_TRUE(stepped.ok()) << stepped.error().message();
    expect(0, 19);
    expect(1, 2);
    expect(2, 10);
    const Feed second[] = {{c, text.subspan(11, 1)}, {a, text.subspan(20, 1)}};
    ASSERT_TRUE(batch->step(second).ok());
    expect(0, 11);
    expect(1, 20);
  }
}

}  // namespace
}  // namespace tenon::engine
