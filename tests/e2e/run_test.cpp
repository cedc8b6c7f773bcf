// tenon run with a prompt: the answer on stdout, everything else on stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/tenon.h"
#include "tenon/text/utf8.h"
#include "tests/e2e/files.h"
#include "tests/e2e/program.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

TEST(RealModels, AnswerAQuestionInTheirChatTemplate) {
  for (const std::string& model : {smollm2(), qwen()}) {
    SCOPED_TRACE(model);
    const Outcome outcome = run({"run", model, "-p", "What color is the sky?", "--temp", "0", "-n", "12"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("blue"));
    EXPECT_TRUE(outcome.out.ends_with('\n'));
    const Figures figures = closing_figures(outcome.err);
    EXPECT_EQ(figures.evaluated, figures.prompt);
    EXPECT_GT(figures.prompt, 20) << "the template's own tokens are missing";
    EXPECT_THAT(figures.generated, testing::AllOf(testing::Ge(3), testing::Le(12)));
    EXPECT_GT(figures.peak_memory, 50);
  }
}

TEST(RealModels, EmojiAndChineseComeWhole) {
  const Outcome outcome =
      run({"run", qwen(), "-p", "Repeat exactly: 你好,世界 🙂🦀", "--temp", "0", "-n", "16"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("你好"));
  EXPECT_THAT(outcome.out, HasSubstr("\xF0\x9F")) << "no emoji";
  for (const std::string& chunk : outcome.chunks) EXPECT_TRUE(text::is_valid_utf8(chunk)) << chunk;
}

// A model of single bytes with random weights, sampled hot: hardly any character comes whole by itself.
TEST(Run, CharactersAreNeverBroken) {
  const Outcome outcome = run({"run", tiny(), "--raw", "-p", "a", "-n", "400", "--temp", "2", "--top-k", "0",
                               "--top-p", "1", "--seed", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(std::ranges::count_if(outcome.out, [](char c) { return static_cast<unsigned char>(c) > 0x7F; }),
            30);
  EXPECT_GT(outcome.chunks.size(), 10u);
  for (const std::string& chunk : outcome.chunks) EXPECT_TRUE(text::is_valid_utf8(chunk)) << chunk;
}

TEST(Run, RawIsTheTextAsItIs) {
  const std::string prompt = "the cat is on the\n";
  const Model model = Model::load(tiny()).value();
  Session session = model.open_session().value();
  std::string expected;
  const auto keep = [&](std::string_view text) { return expected += text, true; };
  const Generation generation = session.complete(prompt, {.max_tokens = 20, .temperature = 0}, keep).value();

  const std::vector<std::string> arguments = {"run", tiny(), "--raw", "--temp", "0", "-n", "20"};
  const Outcome piped = run(arguments, {.input = prompt});
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, expected.ends_with('\n') ? expected : expected + "\n");
  EXPECT_EQ(closing_figures(piped.err).prompt, static_cast<int64_t>(model.tokenize(prompt).size()));
  EXPECT_EQ(closing_figures(piped.err).generated, generation.generated_tokens);

  std::vector<std::string> with_flag = arguments;
  with_flag.insert(with_flag.end(), {"-p", prompt});
  EXPECT_EQ(run(with_flag).out, piped.out);
}

TEST(Run, PipedPromptEndsBeforeTheFilesLastLineEnd) {
  const std::vector<std::string> arguments = {"run", tiny_chat(), "--temp", "0", "-n", "10"};
  const Outcome piped = run(arguments, {.input = "to be or not\n"});
  std::vector<std::string> with_flag = arguments;
  with_flag.insert(with_flag.end(), {"-p", "to be or not"});
  const Outcome flagged = run(with_flag);
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.out, flagged.out);
  EXPECT_EQ(closing_figures(piped.err).prompt, closing_figures(flagged.err).prompt);
}

TEST(Run, StopsAfterSoManyTokens) {
  for (const int64_t count : {0, 1, 7}) {
    const Outcome outcome =
        run({"run", tiny(), "--raw", "-p", "a b", "--temp", "0", "-n", std::to_string(count)});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(closing_figures(outcome.err).generated, count);
  }
}

TEST(Run, SeedDecides) {
  const auto answer = [](const std::string& seed) {
    return run({"run", tiny(), "--raw", "-p", "a b", "-n", "30", "--temp", "1.5", "--seed", seed}).out;
  };
  EXPECT_EQ(answer("7"), answer("7"));
  EXPECT_NE(answer("7"), answer("8"));
}

TEST(Run, OwnersOfTheStateAgree) {
  const auto answer = [](const std::string& state) {
    const Outcome outcome = run({"run", tiny(), "--raw", "-p", "a b c", "-n", "24", "--temp", "0", "--state",
                                 state, "--kv", "f32", "--device", "ref"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const std::string in_place = answer("inplace");
  EXPECT_GT(in_place.size(), 10u);
  for (const char* const state : {"stateless", "stateful", "paged"})
    EXPECT_EQ(answer(state), in_place) << state;
}

TEST(Run, BeamsSearchWithoutChance) {
  const auto answer = [](const std::string& beams, const std::string& temperature) {
    const Outcome outcome = run({"run", tiny(), "--raw", "-p", "a b", "-n", "12", "--temp", temperature,
                                 "--beams", beams, "--seed", temperature == "0" ? "1" : "2"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(closing_figures(outcome.err).generated > 0, true);
    return outcome.out;
  };
  EXPECT_EQ(answer("3", "2"), answer("3", "0"));
  const Outcome none = run({"run", tiny(), "-p", "a", "--beams", "0"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(only_error(none).find("--beams"), std::string::npos);
}

TEST(Run, DevicesAndLayoutsAgree) {
  const auto answer = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"run", tiny(), "--raw", "-p", "the cat", "-n", "24", "--temp", "0"});
    const Outcome outcome = run(flags);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const std::string expected = answer({});
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(answer({"--kv-layout", "copy"}), expected);
  EXPECT_EQ(answer({"--device", "ref"}), expected);
  EXPECT_EQ(answer({"--kv", "f32", "-t", "1"}), expected);
}

TEST(Run, FullContextIsAnErrorWithARemedy) {
  const Outcome prompt = run({"run", tiny(), "--raw", "-c", "4", "-p", "a b c d e f g"});
  EXPECT_EQ(prompt.status, 1);
  EXPECT_EQ(prompt.out, "");
  EXPECT_THAT(only_error(prompt), HasSubstr("larger context (-c)"));

  const Outcome answer = run({"run", tiny(), "--raw", "-c", "16", "-p", "a b", "--temp", "0"});
  EXPECT_EQ(answer.status, 1);
  EXPECT_GT(answer.out.size(), 5u) << "the part that had room is missing";
  EXPECT_THAT(answer.err,
              testing::ContainsRegex("\ntenon: context: wanted room .*larger context \\(-c\\).*\n$"));
}

TEST(Run, ErrorsSayWhatToDo) {
  const Outcome no_template = run({"run", tiny(), "-p", "hello"});
  EXPECT_EQ(no_template.status, 1);
  EXPECT_THAT(only_error(no_template), HasSubstr("--raw"));

  gguf::Writer writer = make_model(fixtures::fixture("llama-gqa4x2").spec);
  writer.set("tokenizer.chat_template", "{% for message in messages %}\n{{ message.content");
  const std::string path = scratch("broken_template.gguf");
  ASSERT_TRUE(writer.write(path).ok());
  const Outcome broken_template = run({"run", path, "-p", "hello"});
  EXPECT_EQ(broken_template.status, 1);
  EXPECT_THAT(only_error(broken_template),
              testing::AllOf(testing::StartsWith(path + ": "), HasSubstr("line 2"), HasSubstr("--raw")));
  EXPECT_EQ(closing_figures(run({"run", path, "--raw", "-p", "a b", "-n", "1"}).err).generated, 1);

  const Outcome no_prompt = run({"run", tiny_chat()});
  EXPECT_EQ(no_prompt.status, 1);
  EXPECT_THAT(only_error(no_prompt), HasSubstr("-p"));
}

TEST(Run, ReaderThatGoesAwayIsNoError) {
  const Outcome outcome = run({"run", tiny(), "--raw", "-p", "a b"}, {.reader_is_gone = true});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "");
}

TEST(Run, FullDiskIsAnError) {
  const Outcome outcome = run({"run", tiny(), "--raw", "-p", "a b"}, {.stdout_file = "/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(only_error(outcome), HasSubstr("stdout: No space left"));
}

}  // namespace
}  // namespace tenon::e2e
