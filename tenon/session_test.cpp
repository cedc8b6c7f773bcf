#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tenon/tenon.h"
#include "tests/fixtures/catalogue.h"

namespace tenon {
namespace {

Model tiny_model() {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tenon_session." + std::to_string(getpid()) + ".gguf");
  EXPECT_TRUE(make_model(fixtures::fixture("llama-gqa4x2").spec).write(path).ok());
  Model model = Model::load(path).value();
  std::filesystem::remove(path);
  return model;
}

TEST(Session, CancelledPromptCountsTheTokensThatWereEvaluated) {
  const Model model = tiny_model();
  Session session = model.open_session({.context = 64, .max_step_tokens = 4}).value();
  const std::string prompt = "the cat is on the mat and it sits";
  const auto tokens = static_cast<int64_t>(model.tokenize(prompt).size());
  ASSERT_GT(tokens, 12);
  GenerateOptions options{.max_tokens = 0};
  options.prompt_progress = [&](int64_t done, int64_t) {
    if (done == 8) session.cancel();
  };
  const Generation stopped = session.complete(prompt, options, {}).value();
  EXPECT_EQ(stopped.stop, StopReason::kCancelled);
  EXPECT_EQ(stopped.prompt_tokens, tokens);
  EXPECT_EQ(stopped.evaluated_tokens, 8);
  EXPECT_EQ(session.length(), 8);

  const Generation whole = session.complete(prompt, {.max_tokens = 0}, {}).value();
  EXPECT_EQ(whole.evaluated_tokens, tokens - 8) << "what was evaluated before the stop stays cached";
}

}  // namespace
}  // namespace tenon
