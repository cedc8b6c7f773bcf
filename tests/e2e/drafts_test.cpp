// --draft ngram: the text of a run without it, sooner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

// A chat, and code that is repeated with changes.
constexpr const char* kQuestion = "What color is the sky, and why? Answer in a few sentences.";
constexpr const char* kEdit =
    "Rename the function `area` to `surface` and repeat the whole file:\n"
    "```python\n"
    "class Rectangle:\n"
    "    def __init__(self, width, height):\n"
    "        self.width = width\n"
    "        self.height = height\n"
    "\n"
    "    def area(self):\n"
    "        return self.width * self.height\n"
    "\n"
    "    def perimeter(self):\n"
    "        return 2 * (self.width + self.height)\n"
    "\n"
    "    def scale(self, factor):\n"
    "        self.width = self.width * factor\n"
    "        self.height = self.height * factor\n"
    "```\n";

TEST(RealModels, WriteTheSameTextWithDrafts) {
  const std::tuple<std::string, const char*, const char*> cases[] = {{smollm2(), kQuestion, "0.8"},
                                                                     {qwen(), kEdit, "0"}};
  for (const auto& [model, prompt, temperature] : cases) {
    SCOPED_TRACE(testing::Message() << model << " at " << temperature);
    std::vector<std::string> flags = {"run", model,    "-p",        prompt,   "-n",
                                      "100", "--temp", temperature, "--seed", "5"};
    const Outcome alone = run(flags);
    flags.insert(flags.end(), {"--draft", "ngram"});
    const Outcome drafted = run(flags);
    EXPECT_EQ(drafted.status, 0) << drafted.err;
    EXPECT_EQ(drafted.out, alone.out);
    EXPECT_GT(drafted.out.size(), 100u);
    EXPECT_THAT(alone.err, testing::Not(HasSubstr("drafted")));
    if (prompt == kEdit) {
      EXPECT_THAT(drafted.err, HasSubstr("accepted")) << "nothing to guess from";
    }
  }
}

TEST(Bench, ComparesDraftsWithNone) {
  const std::string text = write_scratch("repeats.txt", "a b a b a b");
  const auto bench = [&](const std::string& format) {
    const Outcome outcome = run({"bench", tiny("phi3-long-gqa"), "--draft", "ngram", "--draft-tokens", "3",
                                 "-f", text, "--raw", "-n", "40", "-r", "2", "-t", "2", "-o", format});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const nlohmann::json rows = nlohmann::json::parse(bench("json"));
  ASSERT_EQ(rows.size(), 2u);
  for (const nlohmann::json& row : rows) {
    EXPECT_EQ(row["n_prompt"], 0);
    EXPECT_EQ(row["n_gen"], 40);
    EXPECT_GE(row["n_depth"], 5) << "tokens of the text";
    EXPECT_EQ(row["samples_ts"].size(), 2u);
  }
  EXPECT_EQ(rows[0]["draft_tokens"], 0);
  EXPECT_EQ(rows[0]["n_drafted"], 0);
  EXPECT_EQ(rows[1]["draft_tokens"], 3);
  EXPECT_GT(rows[1]["n_drafted"], 0);
  EXPECT_LE(rows[1]["n_accepted"], rows[1]["n_drafted"]);
  EXPECT_GT(rows[1]["share_of_undrafted"], 0.0);
  EXPECT_THAT(bench("md"),
              testing::ContainsRegex("of those without drafts; [0-9]+ of [0-9]+ drafted tokens"));

  const Outcome no_file = run({"bench", tiny(), "--draft", "ngram", "-f", scratch("no_such.txt")});
  EXPECT_EQ(no_file.status, 1);
  EXPECT_THAT(only_error(no_file), HasSubstr("no_such.txt"));
}

}  // namespace
}  // namespace tenon::e2e
