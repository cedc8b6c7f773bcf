// tenon bench: llama-bench's names, columns and keys.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

TEST(Bench, JsonHasTheKeysOfLlamaBench) {
  const Outcome outcome = run({"bench", tiny(), "-p", "12", "-n", "3", "-d", "0,20", "-r", "2", "-ub", "8",
                               "-t", "2", "--kv", "f32", "-o", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const nlohmann::json rows = nlohmann::json::parse(outcome.out);
  const int expected[][3] = {{12, 0, 0}, {0, 3, 0}, {12, 0, 20}, {0, 3, 20}};
  ASSERT_EQ(rows.size(), std::size(expected));
  for (size_t i = 0; i < rows.size(); ++i) {
    const nlohmann::json& row = rows[i];
    EXPECT_EQ(row["n_prompt"], expected[i][0]);
    EXPECT_EQ(row["n_gen"], expected[i][1]);
    EXPECT_EQ(row["n_depth"], expected[i][2]);
    EXPECT_EQ(row["model_filename"], tiny());
    EXPECT_EQ(row["n_ubatch"], 8);
    EXPECT_EQ(row["n_threads"], 2);
    EXPECT_EQ(row["type_k"], "f32");
    EXPECT_EQ(row["type_v"], "f32");
    ASSERT_EQ(row["samples_ns"].size(), 2u);
    ASSERT_EQ(row["samples_ts"].size(), 2u);
    const double first = row["samples_ts"][0], second = row["samples_ts"][1];
    EXPECT_NEAR(first * row["samples_ns"][0].get<double>(), 1e9 * (expected[i][0] + expected[i][1]), 1);
    EXPECT_NEAR(row["avg_ts"], (first + second) / 2, 1e-6 * first);
    EXPECT_NEAR(row["stddev_ts"], std::abs(first - second) / std::sqrt(2), 1e-6 * first);
    for (const char* key : {"cpu_info", "backends", "model_type", "model_size", "model_n_params", "test_time",
                            "avg_ns", "stddev_ns"})
      EXPECT_TRUE(row.contains(key)) << key;
    // The probe's 1 GiB lies in another process.
    EXPECT_GT(row["peak_memory_bytes"], 1 << 20);
    EXPECT_LT(row["peak_memory_bytes"], 1 << 29);
    EXPECT_GT(row["read_gb_per_s"], 0.1);
  }
}

TEST(Bench, TableNamesTestsAsLlamaBench) {
  const Outcome outcome =
      run({"bench", tiny(), tiny("qwen2-tied"), "-p", "0", "-n", "2", "-d", "0,4", "-r", "1"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::MatchesRegex("\\| model +\\| +size \\| +params \\| backend +\\|(.|\n)*"));
  EXPECT_THAT(outcome.out, HasSubstr("|             tg2 |"));
  EXPECT_THAT(outcome.out, HasSubstr("|        tg2 @ d4 |"));
  EXPECT_THAT(outcome.out, HasSubstr("| llama "));
  EXPECT_THAT(outcome.out, HasSubstr("| qwen2 "));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("pp")));
}

TEST(Bench, ReportOfWhatWasMeasuredIsWholeAlsoAfterAnError) {
  const Outcome outcome = run(
      {"bench", tiny(), scratch("not_there.gguf"), "-p", "3", "-n", "0", "-r", "1", "-t", "1", "-o", "json"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(only_error(outcome), HasSubstr("not_there.gguf"));
  EXPECT_EQ(nlohmann::json::parse(outcome.out).size(), 1u);
}

}  // namespace
}  // namespace tenon::e2e
