// Flags: what is refused, with which words, and that help helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

struct Refused {
  std::vector<std::string> arguments;
  std::string says;
};

const Refused kRefused[] = {
    {{}, "one of the commands run, inspect, logits, bench, perplexity, synth and quantize is required"},
    {{"walk"}, "not expected: walk"},
    {{"run"}, "MODEL is required"},
    {{"run", "m", "--no-such-flag"}, "not expected: --no-such-flag"},
    {{"run", "m", "-p"}, "--prompt"},
    {{"run", "m", "-p", ""}, "-p,--prompt: wanted a text"},
    {{"run", "m", "-p", "a", "-p", "b"}, "-p,--prompt: wanted once, found 2 times"},
    {{"run", "m", "--seed", "1", "-n", "2", "--seed=3"}, "--seed: wanted once, found 2 times"},
    {{"logits", "m", "--tokens", "1", "--tokens", "2", "-o", "x.npy"},
     "--tokens: wanted once, found 2 times"},
    {{"run", "m", "-n", "abc"}, "wanted a whole number of at least -1, found 'abc'"},
    {{"run", "m", "-n", "-2"}, "wanted a whole number of at least -1, found '-2'"},
    {{"run", "m", "-n", "7x"}, "found '7x'"},
    {{"run", "m", "-n", "99999999999999999999"}, "found '99999999999999999999'"},
    {{"run", "m", "--temp", "nan"}, "--temp: wanted a number from 0 to 100, found 'nan'"},
    {{"run", "m", "--temp", "-1"}, "--temp: wanted a number from 0 to 100, found '-1'"},
    {{"run", "m", "--temp", "inf"}, "found 'inf'"},
    {{"run", "m", "--top-p", "1.5"}, "--top-p: wanted a number from 0 to 1"},
    {{"run", "m", "--min-p", "-0.1"}, "--min-p: wanted a number from 0 to 1"},
    {{"run", "m", "--top-k", "-1"}, "--top-k: wanted a whole number of at least 0"},
    {{"run", "m", "--seed", "-1"}, "--seed: wanted a whole number"},
    {{"run", "m", "--draft", "always"}, "--draft: wanted one of none|ngram"},
    {{"run", "m", "--draft", "ngram", "--draft-tokens", "8"},
     "--draft-tokens: wanted a whole number from 1 to 7, found '8'"},
    {{"run", "m", "--draft-tokens", "4"}, "--draft-tokens requires --draft"},
    {{"run", "m", "-p", "a", "--draft", "ngram", "--beams", "2"},
     "--draft: wanted no --beams beside it, found '--beams 2'"},
    {{"run", "m", "-t", "0"}, "wanted a whole number from 1 to 1024, found '0'"},
    {{"run", "m", "-c", "0"}, "wanted a whole number of at least 1, found '0'"},
    {{"run", "m", "--device", "gpu"}, "--device: wanted one of cpu|ref, found 'gpu'"},
    {{"run", "m", "--kv", "q8_0"}, "--kv: wanted one of f16|f32, found 'q8_0'"},
    {{"run", "m", "--kv-layout", "paged"}, "--kv-layout: wanted one of inplace|copy, found 'paged'"},
    {{"inspect", "m", "--graph", "flat"},
     "--graph: wanted one of stateless|stateful|genai|paged|inplace, found 'flat'"},
    {{"logits", "m", "-o", "x.npy"}, "--tokens is required"},
    {{"logits", "m", "--tokens", "1,2"}, "--output is required"},
    {{"logits", "m", "--tokens", "1,,2", "-o", "x.npy"}, "--tokens: wanted a whole number"},
    {{"logits", "m", "--tokens", "1,-2", "-o", "x.npy"}, "found '-2'"},
    {{"logits", "m", "--tokens", "1,2,3", "--split", "1,1", "-o", "x.npy"},
     "--split: wanted lengths that add up to the 3 tokens, found '2'"},
    {{"bench", "m", "-p", "0", "-n", "0,0"}, "-n,--n-gen: wanted at least one number above 0, found '0'"},
    {{"bench", "m", "-r", "0"}, "wanted a whole number of at least 1, found '0'"},
    {{"bench", "m", "-ub", "0"}, "--ubatch-size: wanted a whole number of at least 1, found '0'"},
    {{"bench", "m", "-d", "0,x"}, "found 'x'"},
    {{"bench", "m", "-o", "csv"}, "wanted one of md|json, found 'csv'"},
    {{"bench", "m", "--draft", "ngram"}, "--draft: wanted a text to go on from (-f)"},
    {{"bench", "m", "-f", "t"}, "-f,--file: wanted --draft ngram beside it, found 't'"},
    {{"bench", "m", "--raw"}, "--raw: wanted --draft ngram beside it"},
    {{"bench", "m", "--draft", "ngram", "-f", "t", "--vs", "llama.cpp"}, "--draft: wanted no --vs beside it"},
    {{"bench", "m", "--draft", "ngram", "-f", "t", "-p", "512"},
     "--draft: wanted the text of -f as the only prompt, found '--n-prompt'"},
    {{"bench", "m", "--draft", "ngram", "-f", "t", "-d", "64"}, "found '--n-depth'"},
    {{"bench", "m", "--draft", "ngram", "-f", "t", "-n", "8,9"},
     "-n,--n-gen: wanted one number above 0 with --draft, found '8,9'"},
    {{"bench", "m", "--draft-tokens", "4"}, "--draft-tokens requires --draft"},
    {{"synth", "llama-9", "-o", "x.gguf"}, "NAME: wanted one of gemma-4-e2b|gemma-4-tiny|"},
    {{"synth", "llama-tiny"}, "--output is required"},
    {{"synth", "llama-tiny", "-o", "x.gguf", "--type", "Q9"}, "--type: wanted one of F32|F16|BF16|"},
    {{"synth", "llama-tiny", "-o", "x.gguf", "--layers", "0"},
     "wanted a whole number from 1 to 512, found '0'"},
    {{"quantize", "m", "x.gguf", "Q4_K_M"}, "TYPE: wanted one of F32, found 'Q4_K_M'"},
    {{"quantize", "m", "x.gguf"}, "TYPE is required"},
    {{"perplexity", "m"}, "-f,--file is required"},
    {{"perplexity", "m", "-f", "t", "--kl-divergence"}, "--kl-divergence requires --kl-divergence-base"},
    {{"perplexity", "m", "-f", "t", "-c", "2"}, "wanted a whole number from 3 to"},
    {{"perplexity", "m", "-f", "t", "-b", "0"}, "wanted a whole number of at least 1, found '0'"},
    {{"run", "m", "--\x1b[31m\n"}, "not expected: --\\x1b[31m\\x0a"},
};

TEST(Usage, WrongFlagsAreOneLineAndExitStatusTwo) {
  for (const Refused& refused : kRefused) {
    SCOPED_TRACE(testing::PrintToString(refused.arguments));
    const Outcome outcome = run(refused.arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    const std::string error = only_error(outcome);
    EXPECT_THAT(error, HasSubstr(refused.says));
    EXPECT_THAT(error, HasSubstr("--help)"));
  }
}

TEST(Usage, HelpIsAnAnswer) {
  for (const std::string command :
       {"", "run", "inspect", "logits", "bench", "perplexity", "synth", "quantize"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = run(command.empty() ? std::vector<std::string>{"--help"}
                                                : std::vector<std::string>{command, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  tenon " + (command.empty() ? "run" : command)));
  }
}

TEST(Usage, VersionIsAnAnswer) {
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, testing::MatchesRegex("tenon [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace tenon::e2e
