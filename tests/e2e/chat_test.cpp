// A chat on a terminal, typed by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"
#include "tests/e2e/terminal.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPrompt = "> ", kFiguresEnd = "MiB]";

Figures say(Terminal& terminal, const std::string& message) {
  terminal.type(message + "\n");
  const Figures figures = closing_figures(terminal.wait_for(kFiguresEnd));
  terminal.wait_for(kPrompt);
  return figures;
}

void expect_only_new_tokens(const std::string& model, const std::string& first_message) {
  Terminal terminal({"run", model, "--temp", "0", "-n", "9"});
  terminal.wait_for(kPrompt);
  const Figures first = say(terminal, first_message);
  EXPECT_EQ(first.evaluated, first.prompt);
  EXPECT_EQ(first.generated, 9);
  const Figures second = say(terminal, "and then?");
  EXPECT_EQ(second.evaluated, second.prompt - first.prompt - first.generated);
  EXPECT_GT(second.evaluated, 3);
  const Figures third = say(terminal, "and now?");
  EXPECT_EQ(third.evaluated, third.prompt - second.prompt - second.generated);
  terminal.type("/exit\n");
  EXPECT_EQ(terminal.wait_for_exit(), 0);
}

TEST(Chat, LaterTurnsEvaluateOnlyNewTokens) { expect_only_new_tokens(tiny_chat(), "the cat is on the"); }

TEST(Chat, LaterTurnsOfARealModelEvaluateOnlyNewTokens) {
  expect_only_new_tokens(smollm2(), "Write a story about a fox.");
}

TEST(Chat, ControlCStopsTheAnswerAndNotTheProgram) {
  Terminal terminal({"run", smollm2(), "--temp", "0"});
  terminal.wait_for(kPrompt);
  terminal.type("Write a very long story about the sea.\n");
  terminal.wait_for("sea.");  // the terminal's echo
  terminal.wait_for("the");   // of the story
  terminal.type(kControlC);
  EXPECT_THAT(terminal.wait_for(kFiguresEnd), HasSubstr("[stopped]"));
  terminal.wait_for(kPrompt);

  terminal.type("half a line");
  terminal.wait_for("half a line");
  terminal.type(kControlC);  // at the prompt: only the line goes
  terminal.wait_for(kPrompt);

  terminal.type("/clear\n");
  terminal.wait_for(kPrompt);
  terminal.type("Say hi.\n");
  const Figures figures = closing_figures(terminal.wait_for(kFiguresEnd));
  EXPECT_EQ(figures.evaluated, figures.prompt) << "the conversation was to be forgotten";
  terminal.wait_for(kPrompt);
  terminal.type(kControlD);
  EXPECT_EQ(terminal.wait_for_exit(), 0);
}

TEST(Chat, FullContextIsToldAndTheChatGoesOn) {
  Terminal terminal({"run", tiny_chat(), "--temp", "0", "-n", "4", "-c", "60"});
  terminal.wait_for(kPrompt);
  terminal.type("this message is much too long for a context of sixty tokens, is it not?\n");
  terminal.wait_for("tenon: ");
  EXPECT_THAT(terminal.wait_for(kPrompt), HasSubstr("larger context (-c)"));
  EXPECT_EQ(say(terminal, "a").generated, 4);
  terminal.type(kControlD);
  EXPECT_EQ(terminal.wait_for_exit(), 0);
}

TEST(Chat, ProgressIsShownOnATerminal) {
  Terminal terminal({"run", smollm2(), "-n", "1"});
  EXPECT_THAT(terminal.wait_for("leaves."), HasSubstr("\r\x1b[Kloading "));
}

}  // namespace
}  // namespace tenon::e2e
