#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tenon/tenon.h"
#include "tests/fixtures/catalogue.h"

namespace tenon {
namespace {

Model tiny_model(std::string_view name = "llama-gqa4x2", const std::string& device = "cpu") {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("tenon_session." + std::to_string(getpid()) + ".gguf");
  EXPECT_TRUE(make_model(fixtures::fixture(name).spec).write(path).ok());
  Model model = Model::load(path, {.device = device, .progress = {}}).value();
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

// A recurrent state knows all tokens or none: what goes on from them is kept, anything else begins anew.
TEST(Session, RecurrentModelsKeepAPromptThatGoesOnAlone) {
  const Model model = tiny_model("qwen35-gqa");
  const std::vector<int32_t> tokens = {9, 8, 7, 6, 5, 4, 3, 2};
  const auto logits_of = [&](Session& session) {
    return std::vector<float>(session.logits().begin(), session.logits().end());
  };
  Session session = model.open_session({.context = 64}).value();
  ASSERT_TRUE(session.evaluate(tokens).ok());
  const std::vector<float> wanted = logits_of(session);

  const Status trimmed = session.trim(3);
  ASSERT_FALSE(trimmed.ok());
  EXPECT_EQ(trimmed.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(session.length(), 8) << "a refused trim changes nothing";
  session.reset();
  ASSERT_TRUE(session.evaluate(tokens).ok());
  EXPECT_EQ(logits_of(session), wanted) << "reset makes the states zero";

  const std::string prompt = "the cat is on", longer = prompt + " the mat";
  const auto count = [&](const std::string& text) {
    return static_cast<int64_t>(model.tokenize(text).size());
  };
  EXPECT_EQ(session.complete(prompt, {.max_tokens = 0}, {}).value().evaluated_tokens, count(prompt));
  EXPECT_EQ(session.complete(longer, {.max_tokens = 0}, {}).value().evaluated_tokens,
            count(longer) - count(prompt));
  EXPECT_EQ(session.complete(prompt, {.max_tokens = 0}, {}).value().evaluated_tokens, count(prompt));
  Session fresh = model.open_session({.context = 64}).value();
  ASSERT_TRUE(fresh.complete(prompt, {.max_tokens = 0}, {}).ok());
  EXPECT_EQ(logits_of(session), logits_of(fresh));
}

TEST(Session, DraftsLeaveTheTextAndTheConversationAsTheyAre) {
  const std::string prompt = "a b a b a b";
  for (const auto& [device, temperature] :
       {std::pair{"ref", 0.0f}, {"ref", 0.8f}, {"cpu", 0.0f}, {"cpu", 0.8f}}) {
    const Model model = tiny_model("phi3-long-gqa", device);
    const GenerateOptions generate{.max_tokens = 40, .temperature = temperature, .seed = 3};
    std::string alone, drafted;
    Session plain = model.open_session({.context = 64}).value();
    Session drafting = model.open_session({.context = 64, .draft_tokens = 4}).value();
    const auto into = [](std::string& text) {
      return [&text](std::string_view piece) {
        text += piece;
        return true;
      };
    };
    ASSERT_TRUE(plain.complete(prompt, generate, into(alone)).ok());
    const Generation done = drafting.complete(prompt, generate, into(drafted)).value();
    EXPECT_EQ(drafted, alone);
    EXPECT_EQ(drafting.length(), plain.length()) << "no draft stays";
    EXPECT_GE(done.drafted_tokens, done.accepted_tokens);
    if (temperature == 0) {
      EXPECT_GT(done.accepted_tokens, 0);
    }
  }
}

TEST(Session, DraftsWithinAStepAndWithoutRecurrentStatesAlone) {
  for (const auto& [context, wanted] : {std::pair{64, "0 to 7"}, {5, "0 to 4"}}) {
    const Result<Session> long_drafts = tiny_model().open_session({.context = context, .draft_tokens = 8});
    ASSERT_FALSE(long_drafts.ok());
    EXPECT_EQ(long_drafts.error().wanted, wanted);
  }
  const Result<Session> recurrent = tiny_model("qwen35-gqa").open_session({.context = 64, .draft_tokens = 4});
  ASSERT_FALSE(recurrent.ok());
  EXPECT_EQ(recurrent.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(recurrent.error().found, "'cache_r_l0'");
}

}  // namespace
}  // namespace tenon
