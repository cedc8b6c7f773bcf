#include "cli/contest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/contest_report.h"

namespace tenon::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<BenchTest> kTests = {{.prompt = 512}, {.generated = 64}, {.generated = 64, .depth = 4096}};

BenchRun run_of(const std::vector<double>& rates, double read_rate = 0) {
  BenchRun run{.version = "1.2.3", .model_type = "llama", .samples = {}};
  for (size_t i = 0; i < rates.size(); ++i) {
    run.samples.push_back({.test = kTests[i],
                           .rate = rates[i],
                           .read_rate = read_rate,
                           .weight_bytes = 100'000'000,
                           .state_bytes = 8'320'000,
                           .peak_memory = (i + 1) << 20});
  }
  return run;
}

// Three runs of ours and one of each of three peers.
Contest contest() {
  Contest out(kTests, 3);
  EXPECT_TRUE(out.add_ours(run_of({1000, 90, 50}, 20e9)).ok());
  EXPECT_TRUE(out.add_ours(run_of({1200, 110, 40}, 24e9)).ok());
  EXPECT_TRUE(out.add_ours(run_of({1100, 100, 60}, 22e9)).ok());
  EXPECT_TRUE(out.add_peer(0, run_of({200, 80, 10}), "llama-bench").ok());
  EXPECT_TRUE(out.add_peer(1, run_of({400, 70, 9.5}), "llama-bench").ok());
  EXPECT_TRUE(out.add_peer(2, run_of({350, 71, 8}), "llama-bench").ok());
  return out;
}

ContestFacts facts() {
  return {.model = "folder/model.gguf",
          .model_type = "llama 1 M q4_1",
          .our_version = "1.2.3",
          .peer_version = "abc (7)",
          .peer_options = {"first", "second", "third"},
          .peer_peak_memory = 5 << 20,
          .threads = 2,
          .ubatch = 512,
          .kv_type = "f16",
          .rounds = 1,
          .rounds_wanted = 3};
}

TEST(Median, OfAnEvenNumberIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1}), 5);
  EXPECT_EQ(median({5, 1, 9}), 5);
  EXPECT_EQ(median({8, 1, 2, 4}), 3);
}

TEST(BenchJson, IsReadAsLlamaBenchWroteIt) {
  std::ifstream in(TENON_SOURCE_DIR "/tests/golden/bench/llama_bench.json");
  std::ostringstream text;
  text << in.rdbuf();
  const auto run = parse_bench_json("llama-bench", text.str());
  ASSERT_TRUE(run.ok()) << run.error().message();
  EXPECT_EQ(run->version, "0c1e570 (1)");
  std::vector<std::string> names;
  for (const BenchSample& sample : run->samples) names.push_back(sample.test.name());
  EXPECT_THAT(names, ElementsAre("pp32", "tg4", "pp32 @ d64", "tg4 @ d64"));
  EXPECT_NEAR(run->samples[0].rate, 6.349493, 1e-6);
}

TEST(BenchJson, OfAnotherFormIsRefused) {
  for (const char* text : {"", "[{", "{\"n_prompt\": 1}", "[{\"n_prompt\": 1}]", "[3]",
                           R"([{"n_prompt": 1, "n_gen": 0, "n_depth": 0, "avg_ts": "fast"}])"}) {
    const auto run = parse_bench_json("llama-bench", text);
    ASSERT_FALSE(run.ok()) << text;
    EXPECT_EQ(run.error().where, "llama-bench");
  }
}

TEST(Contest, ComparesMediansWithTheBestPeerTestByTest) {
  const std::vector<ContestRow> rows = contest().rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].ours, 1100);
  EXPECT_EQ(rows[0].theirs, 400);
  EXPECT_EQ(rows[0].best_peer, 1u);
  EXPECT_EQ(rows[0].ratio(), 2.75);
  EXPECT_EQ(rows[1].theirs, 80);
  EXPECT_EQ(rows[1].best_peer, 0u);
  EXPECT_EQ(rows[2].ratio(), 5);
}

TEST(Contest, TheRoofIsTheBytesOfATokenAtTheProbesRate) {
  const std::vector<ContestRow> rows = contest().rows();
  EXPECT_EQ(rows[0].roof, 0);  // a prompt
  EXPECT_EQ(rows[1].bytes_per_token,
            104'160'000u);  // from an empty context: half of the 64 tokens on the average
  EXPECT_EQ(rows[2].bytes_per_token, 108'256'000u);  // 4128 of 4160
  EXPECT_DOUBLE_EQ(rows[2].roof, 22e9 / 108'256'000);
}

TEST(Contest, PeersFarFromTheBestEverywhereNeedNoFurtherRuns) {
  EXPECT_THAT(contest().peers_worth_repeating(), ElementsAre(0, 1));
}

TEST(Contest, ARunWithoutATestIsAnError) {
  Contest out(kTests, 1);
  const Status added = out.add_peer(0, run_of({200, 80}), "llama-bench --repack 1");
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message(), HasSubstr("llama-bench --repack 1: wanted a rate of tg64 @ d4096"));
}

TEST(ContestReport, TextNamesWhatItsFiguresRestOn) {
  const std::string text = contest_text(facts(), contest());
  EXPECT_THAT(
      text,
      HasSubstr(
          "| pp512          |   1100.00 |    400.00 |  2.75 |        - |       - |         - | second "));
  EXPECT_THAT(
      text,
      HasSubstr(
          "| tg64 @ d4096   |     50.00 |     10.00 |  5.00 |    203.2 |    25 % |       5 % | first "));
  EXPECT_THAT(text, HasSubstr("Stopped: 1 of 3 rounds in turn were whole."));
  EXPECT_THAT(text, HasSubstr("at 22.0 GB/s that 2 threads"));
  EXPECT_THAT(text, HasSubstr("tenon 3.00 MiB, llama-bench 5.00 MiB"));
}

TEST(ContestReport, JsonHoldsAllSamplesAndNoFolder) {
  const nlohmann::json all = nlohmann::json::parse(contest_json(facts(), contest()));
  EXPECT_EQ(all["model_filename"], "model.gguf");
  EXPECT_EQ(all["tests"][1]["samples_ts"]["tenon"], nlohmann::json({90, 110, 100}));
  EXPECT_EQ(all["tests"][1]["samples_ts"]["llama.cpp third"], nlohmann::json({71}));
  EXPECT_FALSE(all["tests"][0].contains("roof_ts"));
  EXPECT_DOUBLE_EQ(all["tests"][2]["tenon_share_of_roof"], 50 * 108'256'000.0 / 22e9);
}

}  // namespace
}  // namespace tenon::cli
