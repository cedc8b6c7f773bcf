// tenon bench --vs llama.cpp, with a program in llama-bench's place that says what a test wants to hear.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"
#include "tests/e2e/terminal.h"

namespace tenon::e2e {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// A shell script that says `rate` for pp8 and tg2 at depths 0 and 16.
std::string fake_llama_bench(const std::string& name, const std::string& body) {
  const std::string path =
      write_scratch(name,
                    "#!/bin/sh\nrow() {\n"
                    "  printf '{\"build_commit\": \"fake\", \"build_number\": 9, \"n_prompt\": %s, "
                    "\"n_gen\": %s, \"n_depth\": %s, \"avg_ts\": %s}' \"$@\"\n}\n" +
                        body +
                        "echo \"[$(row 8 0 0 $rate), $(row 0 2 0 $rate), $(row 8 0 16 $rate), "
                        "$(row 0 2 16 $rate)]\"\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::vector<std::string> command(const std::string& llama_bench, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"bench", tiny(), "--vs", "llama.cpp", "--llama-bench", llama_bench, "-p",
                                  "0",     "-n",   "2",    "-d",        "0,16",          "-r",        "2",
                                  "-t",    "1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(BenchVersus, TriesAllOptionsOnceAndRepeatsTheBest) {
  const std::string log = scratch("asked.txt");
  const std::string fake =
      fake_llama_bench("llama-bench", "echo \"$*\" >> '" + log +
                                          "'\nrate=0.5\n"
                                          "case \"$*\" in *'--repack 0 -fa 1') rate=0.25 ;; "
                                          "*'--repack 1 -fa 1') rate=0.75 ;; esac\n");
  const Outcome outcome = run(command(fake, {"--kv", "f32", "-ub", "4", "-o", "json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::vector<std::string> asked = lines(log);
  EXPECT_THAT(asked, ElementsAre(HasSubstr("--repack 1 -fa 1"), HasSubstr("--repack 0 -fa 1"),
                                 HasSubstr("--repack 1 -fa 0"), HasSubstr("--repack 0 -fa 0"),
                                 HasSubstr("--repack 1 -fa 1")));
  EXPECT_THAT(asked, Each(AllOf(HasSubstr("-ctk f32 -ctv f32"),
                                HasSubstr("-p 0 -n 2 -d 0,16 -r 1 -o json -t 1 -ub 4"))));
  const nlohmann::json all = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(all["llama_cpp_build"], "fake (9)");
  EXPECT_EQ(all["rounds"], 2);
  ASSERT_EQ(all["tests"].size(), 2u);
  for (const nlohmann::json& test : all["tests"]) {
    EXPECT_EQ(test["llama_cpp_ts"], 0.75);
    EXPECT_EQ(test["llama_cpp_options"], "--repack 1 -fa 1");
    EXPECT_EQ(test["samples_ts"]["tenon"].size(), 5u);  // before each of the others
    EXPECT_GT(test["ratio"], 1);
    EXPECT_GT(test["tenon_share_of_roof"], 0);
  }
  EXPECT_GT(all["tests"][1]["bytes_per_token"], all["tests"][0]["bytes_per_token"]);
  EXPECT_GT(all["peak_memory_bytes"]["llama.cpp"], 0);
}

TEST(BenchVersus, AFailureTellsTheProgramsLastLines) {
  const std::string fake = fake_llama_bench("old-bench", "echo 'error: invalid parameter' >&2; exit 3\n");
  const Outcome outcome = run(command(fake));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("  error: invalid parameter\ntenon: llama-bench --repack 1 -fa 1: "));
  EXPECT_THAT(outcome.err, HasSubstr("found 3 (its last lines are above)"));
  EXPECT_THAT(outcome.err, HasSubstr("--llama-bench)"));
}

TEST(BenchVersus, ControlCEndsItWithAReportOfWhatThereIs) {
  const std::string fake = fake_llama_bench(
      "slow-bench", "rate=0.5\ncase \"$*\" in *'--repack 0 -fa 1') exec sleep 100 ;; esac\n");
  Terminal terminal(command(fake));
  terminal.wait_for("run 4 of 16, llama-bench --repack 0 -fa 1");
  terminal.type(kControlC);
  terminal.wait_for("Stopped: 0 of 2 rounds in turn were whole");
  EXPECT_EQ(terminal.wait_for_exit(), 1);
}

TEST(BenchVersus, WrongUsageSaysWhatIsWanted) {
  EXPECT_THAT(
      only_error(run(command("/nowhere/llama-bench"))),
      AllOf(HasSubstr("--llama-bench: wanted llama.cpp's llama-bench"), HasSubstr("tools/oracle/setup.sh")));
  EXPECT_THAT(only_error(run({"bench", "m", "--vs", "ollama"})), HasSubstr("wanted one of llama.cpp"));
  EXPECT_THAT(only_error(run({"bench", "m", "--llama-bench", "x"})), HasSubstr("requires --vs"));
  EXPECT_THAT(only_error(run({"bench", "a", "b", "--vs", "llama.cpp"})),
              HasSubstr("wanted one file with --vs"));
}

}  // namespace
}  // namespace tenon::e2e
