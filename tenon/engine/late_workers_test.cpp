// Workers without cores of their own change no bit: what a token's steps give does not depend on who did
// them.
#include <gtest/gtest.h>

#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"
#include "tests/support/test_name.h"

namespace tenon::engine {
namespace {

using Rows = std::vector<std::vector<float>>;

// A prompt, then tokens one by one, across the border of a chunk of keys.
Rows rows_of(const std::string& fixture, const test::RunDevice& device, int threads, StateForm form) {
  constexpr int32_t kPrompt = 248, kTokens = 16;
  SessionOptions options = test::exact_options(form);
  options.kv_type = KvType::kF16;
  options.context = kPrompt + kTokens;
  options.max_step_tokens = kPrompt;
  std::vector<int32_t> tokens, split(kTokens + 1, 1);
  for (int32_t i = 0; i < kPrompt + kTokens; ++i) tokens.push_back((i * 37 + i / 7 + 5) % 256);
  split[0] = kPrompt;
  return test::open_run(test::file_of(fixtures::fixture(fixture).spec), test::make_backend(device, threads),
                        options)
      .logits(tokens, split);
}

class LateWorkersOf : public testing::TestWithParam<const char*> {};

// Far more workers than cores: most of them lose theirs in the middle of their work at every token, and what
// they hold is done by others.
TEST_P(LateWorkersOf, ChangeNoBit) {
  for (const test::RunDevice& device : test::run_devices()) {
    if (device.name != "cpu") continue;
    for (const StateForm form : {StateForm::kInPlace, StateForm::kStateless, StateForm::kPaged}) {
      SCOPED_TRACE(testing::Message() << device.title() << ", form " << static_cast<int>(form));
      const Rows alone = rows_of(GetParam(), device, 1, form);
      for (const int threads : {2, 9})
        EXPECT_TRUE(rows_of(GetParam(), device, threads, form) == alone) << threads << " threads";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, LateWorkersOf,
                         testing::Values("llama-gqa4x2", "llama-mixed-types", "qwen2-bias-gqa", "gemma3-gqa",
                                         "gpt-oss-mxfp4", "phi3-long-gqa"),
                         [](const auto& value) { return test::test_name(value.param); });

}  // namespace
}  // namespace tenon::engine
