// tenon perplexity: the figures of llama-perplexity, and its files of base logits either way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/e2e/files.h"
#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

const std::string kGolden = TENON_SOURCE_DIR "/tests/golden/perplexity/";
const std::string kText = kGolden + "text.txt", kBase = kGolden + "llama-gqa4x2.kld";

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<double> numbers_in(const std::string& text) {
  static const std::regex number("-?[0-9]+\\.[0-9]+");
  std::vector<double> out;
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
    out.push_back(std::stod(at->str()));
  return out;
}

std::string perplexity(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "perplexity");
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

std::string of_text(const std::string& model, std::vector<std::string> more = {}) {
  std::vector<std::string> flags = {tiny(model), "-f", kText, "-c", "33", "--chunks", "7", "--kv", "f32"};
  flags.insert(flags.end(), more.begin(), more.end());
  return perplexity(flags);
}

// The perplexities by chunk: every other number of the lines.
std::vector<double> running(const std::string& out) {
  const std::vector<double> numbers = numbers_in(out);
  std::vector<double> values;
  for (size_t i = 0; i < 14 && i < numbers.size(); i += 2) values.push_back(numbers[i]);
  return values;
}

TEST(Perplexity, IsLlamaPerplexitys) {
  // ggml looks GELU up in a table of f16, and the perplexity of these weights is the exponential of 22.
  for (const auto& [model, tolerance] : {std::pair("llama-gqa4x2", 2e-6), std::pair("gemma3-gqa", 5e-4)}) {
    SCOPED_TRACE(model);
    const std::vector<double> expected = numbers_in(read(kGolden + model + ".txt"));
    ASSERT_EQ(expected.size(), 7u);
    const std::string out = of_text(model);
    const std::vector<double> found = running(out);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance * expected[i]);
    EXPECT_THAT(out, HasSubstr("\nFinal estimate: PPL = "));
  }
}

TEST(Perplexity, DoesNotDependOnBatchAndOwnerOfTheState) {
  const std::vector<double> expected = running(of_text("llama-gqa4x2"));
  const std::vector<std::vector<std::string>> ways = {{"-b", "33"},
                                                      {"-b", "7"},
                                                      {"-t", "1"},
                                                      {"--state", "stateless"},
                                                      {"--state", "stateful"},
                                                      {"--state", "paged"},
                                                      {"--state", "paged", "-b", "99"},
                                                      {"--state", "paged", "-b", "7"},
                                                      {"--device", "ref"}};
  for (const std::vector<std::string>& way : ways) {
    SCOPED_TRACE(testing::PrintToString(way));
    EXPECT_THAT(running(of_text("llama-gqa4x2", way)),
                testing::Pointwise(testing::DoubleNear(0.01), expected));
  }
  // One sequence side by side with none: a model with recurrent states.
  EXPECT_EQ(running(of_text("mamba2-groups", {"--state", "paged"})).size(), 7u);
}

TEST(Perplexity, WritesLlamaPerplexitysFile) {
  const std::string path = scratch("written.kld");
  of_text("llama-gqa4x2", {"--kl-divergence-base", path});
  const std::string found = read(path), expected = read(kBase);
  std::filesystem::remove(path);
  ASSERT_EQ(found.size(), expected.size());
  const size_t head = 20 + 7 * 33 * 4, row = 8 + 288 * 2;
  EXPECT_EQ(found.substr(0, head), expected.substr(0, head));
  for (size_t at = head; at < found.size(); at += row) {
    float step_and_least[2][2];
    uint16_t values[2][288];
    for (const auto& [i, bytes] : {std::pair(0, &found), std::pair(1, &expected)}) {
      std::memcpy(step_and_least[i], bytes->data() + at, 8);
      std::memcpy(values[i], bytes->data() + at + 8, sizeof values[i]);
    }
    EXPECT_NEAR(step_and_least[0][0], step_and_least[1][0], 1e-8);
    EXPECT_NEAR(step_and_least[0][1], step_and_least[1][1], 1e-4);
    for (size_t i = 0; i < 288; ++i) EXPECT_NEAR(values[0][i], values[1][i], 1);
  }
}

// Lines with the same words, and the same numbers but for the last printed digit.
TEST(Perplexity, DivergenceIsLlamaPerplexitys) {
  const std::string expected = read(kGolden + "qwen2-bias-gqa.txt");
  const std::string found =
      perplexity({tiny("qwen2-bias-gqa"), "--kl-divergence-base", kBase, "--kl-divergence", "--kv", "f32"});
  static const std::regex number(" *-?[0-9]+\\.[0-9]+");
  EXPECT_EQ(std::regex_replace(found, number, "#"), std::regex_replace(expected, number, "#"));
  const std::vector<double> wanted = numbers_in(expected), got = numbers_in(found);
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], std::max(1.5e-5, 2e-6 * std::abs(wanted[i]))) << i;
}

TEST(Perplexity, JsonHasAllFigures) {
  using nlohmann::json;
  const json plain = json::parse(of_text("llama-gqa4x2", {"--json"}));
  EXPECT_NEAR(plain["perplexity"]["value"], 2279.2053, 0.01);
  EXPECT_EQ(plain["chunks"], 7);
  EXPECT_EQ(plain["chunk_tokens"], 33);
  EXPECT_EQ(plain["scored_tokens"], 7 * 16);
  const json compared = json::parse(perplexity(
      {tiny("qwen2-bias-gqa"), "--kl-divergence-base", kBase, "--kl-divergence", "--kv", "f32", "--json"}));
  EXPECT_NEAR(compared["base_perplexity"]["value"], 2279.190659, 0.01);
  EXPECT_NEAR(compared["kl_divergence"]["value"], 3.818322, 1e-5);
  EXPECT_NEAR(compared["kl_divergence"]["percentiles"]["p99.9"], 7.37781, 1e-4);
  EXPECT_NEAR(compared["same_top"]["value"], 0.00893, 1e-5);
}

std::string refused(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "perplexity");
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  return only_error(outcome);
}

TEST(Perplexity, TextsThatCannotBeMeasuredAreRefusedByName) {
  const auto refused_text = [](const std::string& name, const std::string& bytes) {
    const std::string path = write_scratch(name, bytes);
    const std::string error = refused({tiny(), "-f", path, "-c", "33"});
    EXPECT_THAT(error, HasSubstr(path));
    return error;
  };
  EXPECT_THAT(refused_text("empty.txt", ""),
              HasSubstr("wanted 66 tokens or more, two chunks of 33, found 0"));
  EXPECT_THAT(refused_text("short.txt", "One line."), HasSubstr("smaller chunks (-c)"));
  EXPECT_THAT(refused_text("binary.txt", "text\xff"), HasSubstr("byte 4: wanted text in UTF-8, found 0xff"));
  EXPECT_THAT(refused_text("nul.txt", std::string(1, '\0')),
              HasSubstr("byte 0: wanted text in UTF-8, found 0x00"));
  EXPECT_THAT(refused({tiny(), "-f", scratch("no_such.txt")}), HasSubstr("no_such.txt"));
}

TEST(Perplexity, BasesThatDoNotFitAreRefusedByName) {
  const auto refused_base = [](const std::string& name, const std::string& bytes) {
    const std::string path = write_scratch(name, bytes);
    const std::string error = refused({tiny(), "--kl-divergence-base", path, "--kl-divergence"});
    EXPECT_THAT(error, testing::StartsWith(path + ": "));
    return error;
  };
  const std::string good = read(kBase);
  EXPECT_THAT(refused_base("empty.kld", ""), HasSubstr("a file of base logits"));
  EXPECT_THAT(refused_base("text.kld", read(kText)), HasSubstr("a file of base logits"));
  EXPECT_THAT(refused_base("cut.kld", good.substr(0, good.size() - 1)), HasSubstr("7 chunks of 33 tokens"));
  std::string one_row = good.substr(0, 20 + 7 * 33 * 4);
  const int32_t chunk_tokens_vocabulary_chunks[] = {33, 287, 7};
  std::memcpy(one_row.data() + 8, chunk_tokens_vocabulary_chunks, 12);
  one_row += std::string(7 * 16 * (8 + 288 * 2), '\0');
  const std::string path = write_scratch("other_vocabulary.kld", one_row);
  EXPECT_THAT(refused({tiny(), "--kl-divergence-base", path, "--kl-divergence"}),
              HasSubstr("288 tokens, as the model has, found 287"));
  EXPECT_THAT(refused({tiny(), "--kl-divergence-base", kBase, "--kl-divergence", "-c", "32"}),
              HasSubstr("chunks of 32 tokens, as -c says, found 33"));
  const std::string other = write_scratch("other.txt", std::string(200, 'x'));
  EXPECT_THAT(refused({tiny(), "--kl-divergence-base", kBase, "--kl-divergence", "-f", other}),
              HasSubstr("leave out -f"));
}

TEST(Perplexity, TellsOfChunksBeyondTheTraining) {
  const std::string path = write_scratch("long.txt", std::string(1200, 'z'));
  const Outcome outcome = run({"perplexity", tiny(), "-f", path, "-c", "600"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("note: chunks of 600 tokens; the model was trained on 512"));
}

}  // namespace
}  // namespace tenon::e2e
