#include "tenon/engine/speculation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tenon/text/sampler.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/model_run.h"

namespace tenon::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GuessFromText, FollowsTheLongestMatchAndOfThoseTheLatest) {
  const std::vector<int32_t> text = {1, 2, 3, 4, 9, 2, 3, 5, 7, 2, 3, 6, 1, 2, 3};
  EXPECT_THAT(guess_from_text(text, 2, 2), ElementsAre(4, 9)) << "three tokens are shared there";
  EXPECT_THAT(guess_from_text(std::span(text).subspan(4), 2, 3), ElementsAre(6, 1, 2))
      << "two, and the latest";
  EXPECT_THAT(guess_from_text(text, 4, 2), IsEmpty());
  EXPECT_THAT(guess_from_text(text, 2, 0), IsEmpty());
}

TEST(GuessFromText, RepeatsAPeriod) {
  EXPECT_THAT(guess_from_text(std::vector<int32_t>{5, 7, 8, 7, 8}, 2, 5), ElementsAre(7, 8, 7, 8, 7));
  EXPECT_THAT(guess_from_text(std::vector<int32_t>{4, 4}, 1, 3), ElementsAre(4, 4, 4));
}

TEST(GuessFromText, ShortTextsHaveNoEarlierPlace) {
  EXPECT_THAT(guess_from_text({}, 1, 3), IsEmpty());
  EXPECT_THAT(guess_from_text(std::vector<int32_t>{4}, 1, 3), IsEmpty());
}

constexpr int64_t kContext = 64;
constexpr size_t kLength = 50;

test::ModelRun open(std::string_view name, const std::string& device, StateForm form) {
  SessionOptions options = test::exact_options(form);
  options.context = kContext;
  return test::open_run(test::file_of(fixtures::fixture(name).spec), test::make_backend({device, ""}),
                        options);
}

text::Sampler sampler(float temperature) {
  return text::Sampler::create({.temperature = temperature, .seed = 7}, fixtures::kVocabulary).value();
}

// The text that a sampler makes of a prompt, with guesses or without.
struct Written {
  std::vector<int32_t> text;
  int64_t guessed = 0, accepted = 0;
};
Written write(test::ModelRun run, float temperature, int64_t most_guesses) {
  Written out;
  // A prompt that repeats itself, so that there is something to guess from.
  out.text = {9, 40, 41, 42, 43, 9, 40, 41, 42, 43, 9, 40};
  EXPECT_TRUE(run.sequence->evaluate(out.text).ok());
  text::Sampler choose = sampler(temperature);
  {
    Speculation speculation(*run.sequence, out.text, {.most_guesses = most_guesses, .least_match = 1});
    while (out.text.size() < kLength) {
      const Status status = speculation.append(choose.sample(speculation.logits()));
      EXPECT_TRUE(status.ok()) << status.error().message();
      if (!status.ok()) break;
    }
    out.guessed = speculation.guessed();
    out.accepted = speculation.accepted();
  }
  EXPECT_EQ(run.sequence->length(), static_cast<int64_t>(out.text.size())) << "no guess is left";
  return out;
}

// On the references a token's logits are the same bits alone and among others.
TEST(Speculation, WritesTheTextThatIsWrittenWithoutIt) {
  for (const char* name : {"llama-gqa4x2", "gemma3-mqa", "phi3-long-gqa"}) {
    for (const StateForm form : {StateForm::kInPlace, StateForm::kStateless, StateForm::kPaged}) {
      for (const float temperature : {0.0f, 0.7f}) {
        SCOPED_TRACE(testing::Message() << name << ' ' << static_cast<int>(form) << ' ' << temperature);
        const Written alone = write(open(name, "ref", form), temperature, 0);
        const Written guessed = write(open(name, "ref", form), temperature, 4);
        EXPECT_EQ(guessed.text, alone.text);
        EXPECT_EQ(alone.guessed, 0);
        EXPECT_GT(guessed.guessed, 0);
        EXPECT_LT(guessed.accepted, guessed.guessed) << "some guesses are wrong, and forgotten";
      }
    }
  }
}

// And by the kernels of the CPU, as fast as they are, with a step of eight tokens at most.
TEST(Speculation, WritesTheSameTextOnTheCpu) {
  for (const test::RunDevice& device : test::run_devices()) {
    if (device.name != "cpu") continue;
    for (const bool deterministic : {false, true}) {
      SCOPED_TRACE(testing::Message() << device.title() << " deterministic " << deterministic);
      const auto open_on_cpu = [&] {
        SessionOptions options = test::exact_options();
        options.context = kContext;
        return test::open_run(test::file_of(fixtures::fixture("llama-mixed-types").spec),
                              test::make_backend(device, 2, deterministic), options);
      };
      const Written alone = write(open_on_cpu(), 0.7f, 0),
                    guessed = write(open_on_cpu(), 0.7f, kMostDraftTokens);
      EXPECT_EQ(guessed.text, alone.text);
      EXPECT_GT(guessed.guessed, 0);
    }
  }
}

// Guesses that are all right come with one step: the text is fed as what it repeats.
TEST(Speculation, RightGuessesCostNoStep) {
  test::ModelRun run = open("llama-gqa4x2", "ref", StateForm::kInPlace);
  std::vector<int32_t> text = {9, 40, 41, 42, 43, 44, 45, 9};
  ASSERT_TRUE(run.sequence->evaluate(text).ok());
  Speculation speculation(*run.sequence, text, {.most_guesses = 3, .least_match = 2});
  ASSERT_TRUE(speculation.append(40).ok());
  EXPECT_EQ(run.sequence->length(), 12) << "40 and three guesses";
  for (const int32_t token : {41, 42, 43}) ASSERT_TRUE(speculation.append(token).ok());
  EXPECT_EQ(run.sequence->length(), 12);
  EXPECT_EQ(speculation.accepted(), 3);
  ASSERT_TRUE(speculation.append(44).ok());
  EXPECT_EQ(run.sequence->length(), 16);
}

TEST(Speculation, GuessesStayWithinTheContext) {
  test::ModelRun run = open("llama-gqa4x2", "ref", StateForm::kInPlace);
  std::vector<int32_t> text(kContext - 2, 5);
  ASSERT_TRUE(run.sequence->evaluate(text).ok());
  Speculation speculation(*run.sequence, text, {.most_guesses = 4});
  EXPECT_TRUE(speculation.append(5).ok());
  EXPECT_EQ(run.sequence->length(), kContext);
  EXPECT_TRUE(speculation.append(5).ok());
  const Status full = speculation.append(5);
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, ErrorCode::kContextFull);
  EXPECT_EQ(text.size(), size_t{kContext});
}

}  // namespace
}  // namespace tenon::engine
