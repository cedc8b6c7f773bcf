// What drafts rest on: by the CPU's fastest kernels, too, a token's logits are the same bits alone and in any
// step of up to eight tokens.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"
#include "tests/support/test_name.h"

namespace tenon::engine {
namespace {

using Rows = std::vector<std::vector<float>>;

// A prompt, then steps of so many tokens.
struct Text {
  int32_t prompt, rest;
};
// Its steps cross the border of a chunk of keys.
constexpr Text kLong = {.prompt = 244, .rest = 16};
constexpr Text kShort = {.prompt = 30, .rest = 16};

struct Case {
  StateForm form;
  Text text;
  std::vector<int32_t> steps;
};
const Case kCases[] = {{StateForm::kInPlace, kLong, {2, 3, 8}},
                       {StateForm::kInPlace, kShort, {5, 8}},
                       {StateForm::kStateless, kShort, {8}},
                       {StateForm::kPaged, kLong, {3, 8}}};

Rows rows_of(const std::string& fixture, const std::shared_ptr<runtime::Backend>& backend, StateForm form,
             const Text& text, int32_t step) {
  SessionOptions options = test::exact_options(form);
  options.kv_type = KvType::kF16;
  options.context = text.prompt + text.rest;
  options.max_step_tokens = text.prompt;
  std::vector<int32_t> tokens, split = {text.prompt};
  for (int32_t i = 0; i < text.prompt + text.rest; ++i) tokens.push_back((i * 37 + i / 7 + 5) % 256);
  for (int32_t at = 0; at < text.rest; at += step) split.push_back(std::min(step, text.rest - at));
  return test::open_run(test::file_of(fixtures::fixture(fixture).spec), backend, options)
      .logits(tokens, split);
}

class ShortStepsOf : public testing::TestWithParam<const char*> {};

TEST_P(ShortStepsOf, ChangeNoBit) {
  for (const test::RunDevice& device : test::run_devices()) {
    if (device.name != "cpu") continue;
    const auto backend = test::make_backend(device);
    for (const Case& tried : kCases) {
      SCOPED_TRACE(testing::Message() << device.title() << ", form " << static_cast<int>(tried.form)
                                      << ", prompt " << tried.text.prompt);
      const Rows alone = rows_of(GetParam(), backend, tried.form, tried.text, 1);
      for (const int32_t step : tried.steps)
        EXPECT_TRUE(rows_of(GetParam(), backend, tried.form, tried.text, step) == alone)
            << "steps of " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ShortStepsOf,
                         testing::Values("llama-gqa4x2", "llama-mixed-types", "qwen2-bias-gqa", "gemma3-gqa",
                                         "gemma4-experts", "gpt-oss-mxfp4", "qwen3moe-gqa", "phi3-long-gqa"),
                         [](const auto& value) { return test::test_name(value.param); });

}  // namespace
}  // namespace tenon::engine
