// What the CPU's kernels make of tokens, by the way in which they are fed: to the bit with deterministic
// ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/engine/batch.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"

namespace tenon::engine {
namespace {

constexpr int32_t kTokens = 60;
using Rows = std::vector<std::vector<float>>;

std::vector<int32_t> tokens() {
  std::vector<int32_t> out;
  for (int32_t i = 0; i < kTokens; ++i) out.push_back((i * 37 + 5) % 256);
  return out;
}

std::vector<int32_t> steps_of(int32_t length) {
  std::vector<int32_t> out(static_cast<size_t>(kTokens / length), length);
  if (kTokens % length > 0) out.push_back(kTokens % length);
  return out;
}

// On both sides of every border at which a kernel changes its way.
std::vector<std::vector<int32_t>> splits() {
  return {steps_of(1), steps_of(2), steps_of(3),  steps_of(7),
          steps_of(8), steps_of(9), steps_of(17), {33, 1, 26}};
}

std::vector<test::RunDevice> cpus() {
  std::vector<test::RunDevice> out = test::run_devices();
  std::erase_if(out, [](const test::RunDevice& device) { return device.name != "cpu"; });
  return out;
}

Rows rows_of(const std::string& fixture, const std::shared_ptr<runtime::Backend>& backend, StateForm form,
             std::span<const int32_t> split) {
  SessionOptions options = test::exact_options(form);
  options.kv_type = KvType::kF16;
  return test::open_run(test::file_of(fixtures::fixture(fixture).spec), backend, options)
      .logits(tokens(), split);
}

class DeterminismOf : public testing::TestWithParam<const char*> {};

TEST_P(DeterminismOf, NeitherStepsNorThreadsNorOwnersOfTheStateChangeABit) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto alone = test::make_backend(device, 1, true), three = test::make_backend(device, 3, true);
    const Rows expected = rows_of(GetParam(), alone, StateForm::kInPlace, steps_of(kTokens));
    for (const std::vector<int32_t>& split : splits()) {
      EXPECT_EQ(rows_of(GetParam(), three, StateForm::kInPlace, split), expected)
          << testing::PrintToString(split);
    }
    for (const StateForm form : {StateForm::kStateless, StateForm::kStateful, StateForm::kPaged})
      EXPECT_EQ(rows_of(GetParam(), three, form, {{33, 1, 26}}), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, DeterminismOf,
                         testing::Values("llama-gqa4x2", "llama-mixed-types", "gemma3-gqa", "qwen3moe-gqa",
                                         "gpt-oss-mxfp4", "qwen35-gqa", "mamba2-groups"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The kernels that are chosen otherwise: threads change nothing, nor does any step of more than eight tokens.
TEST(Determinism, OfTheFastestKernelsEndsAtShortSteps) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto alone = test::make_backend(device, 1), three = test::make_backend(device, 3);
    const auto rows = [](const auto& backend, const std::vector<int32_t>& split) {
      return rows_of("llama-gqa4x2", backend, StateForm::kInPlace, split);
    };
    const Rows expected = rows(alone, steps_of(kTokens));
    EXPECT_EQ(rows(three, steps_of(kTokens)), expected);
    EXPECT_EQ(rows(three, {33, 27}), expected);
    EXPECT_NE(rows(alone, steps_of(1)), expected);
  }
}

TEST(Determinism, ABatchChangesNoBit) {
  for (const test::RunDevice& device : cpus()) {
    SCOPED_TRACE(device.title());
    const auto backend = test::make_backend(device, 2, true);
    const auto file = test::file_of(fixtures::fixture("llama-mixed-types").spec);
    SessionOptions options = test::exact_options(StateForm::kPaged);
    options.kv_type = KvType::kF16;
    const Compiled compiled = compile(file, *find_device("cpu").value(), *backend, options, 3).value();
    const std::vector<int32_t> all = tokens();
    const Rows expected = rows_of("llama-mixed-types", backend, StateForm::kInPlace, steps_of(kTokens));
    const auto batch =
        Batch::create(backend, compiled.plan,
                      {.blocks = 6, .vocabulary_rows = static_cast<int64_t>(expected[0].size())})
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
