// tenon logits: the numbers are the library's, whatever the pieces, and those of llama.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tenon/gguf/file.h"
#include "tenon/tenon.h"
#include "tests/e2e/files.h"
#include "tests/e2e/npy_file.h"
#include "tests/e2e/program.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

std::string joined(const std::vector<int32_t>& values) {
  std::string text;
  for (const int32_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

NpyFile logits(const std::string& model, const std::string& tokens, std::vector<std::string> flags = {}) {
  const std::string path = scratch("logits.npy");
  flags.insert(flags.begin(), {"logits", model, "--tokens", tokens, "-o", path});
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  NpyFile file = read_npy(path);
  std::filesystem::remove(path);
  return file;
}

// F32 weights and caches in one order of summation or another: nothing but rounding is between them.
constexpr double kRounding = 1e-10;

TEST(Logits, AreThoseOfLlamaCpp) {
  for (const std::string name : {"llama-gqa4x2", "qwen2-bias-gqa", "llama-ropefactors"}) {
    SCOPED_TRACE(name);
    const auto judged = gguf::File::open(TENON_SOURCE_DIR "/tests/golden/logits/" + name + ".gguf").value();
    const auto data = judged->tensor("logits").value()->data;
    std::vector<float> expected(data.size() / sizeof(float));
    std::memcpy(expected.data(), data.data(), data.size());
    const fixtures::Fixture& fixture = fixtures::fixture(name);
    const NpyFile found =
        logits(tiny(name), joined(fixture.tokens), {"--split", joined(fixture.split), "--kv", "f32"});
    EXPECT_EQ(found.rows, static_cast<int64_t>(fixture.tokens.size()));
    EXPECT_EQ(found.columns, fixtures::kVocabulary);
    EXPECT_LT(normalised_error(found.values, expected), 1e-7);
  }
}

TEST(Logits, AreThoseOfTheLibrary) {
  const std::vector<int32_t> tokens = {9, 4, 250, 7, 7, 31, 100, 2};
  const Model model = Model::load(tiny("llama-mixed-types"), {.threads = 2}).value();
  Session session = model.open_session({.context = 8, .all_logits = true}).value();
  std::vector<float> expected;
  const auto keep = [&](std::span<const float> row) {
    expected.insert(expected.end(), row.begin(), row.end());
  };
  ASSERT_TRUE(session.evaluate(tokens, keep).ok());
  EXPECT_EQ(logits(tiny("llama-mixed-types"), joined(tokens), {"-t", "2"}).values, expected);
}

TEST(Logits, DoNotDependOnThePieces) {
  const std::string tokens = "9,4,250,7,7,31,100,2";
  for (const std::string device : {"cpu", "ref"}) {
    SCOPED_TRACE(device);
    const std::vector<std::string> flags = {"--device", device, "--kv", "f32"};
    const std::vector<float> whole = logits(tiny(), tokens, flags).values;
    for (const std::string split : {"5,1,2", "1,1,1,1,1,1,1,1", "1,7"}) {
      std::vector<std::string> with_split = flags;
      with_split.insert(with_split.end(), {"--split", split});
      EXPECT_LT(normalised_error(logits(tiny(), tokens, with_split).values, whole), kRounding) << split;
    }
    std::vector<std::string> copied = flags;
    copied.insert(copied.end(), {"--kv-layout", "copy"});
    EXPECT_LT(normalised_error(logits(tiny(), tokens, copied).values, whole), kRounding);
  }
}

TEST(Logits, TokensMayComeFromAFile) {
  const std::string path = write_scratch("ids.txt", "9, 4,\n250\n");
  EXPECT_EQ(logits(tiny(), "@" + path).values, logits(tiny(), "9,4,250").values);
}

TEST(Logits, OfARealModel) {
  const NpyFile found = logits(smollm2(), "1,9690,198,2683", {"--split", "3,1"});
  EXPECT_EQ(found.rows, 4);
  EXPECT_EQ(found.columns, 49152);
}

TEST(Logits, ErrorsOfAFileOfTokensNameIt) {
  const auto refused = [](const std::string& path, int status) {
    const Outcome outcome = run({"logits", tiny(), "--tokens", "@" + path, "-o", scratch("never.npy")});
    EXPECT_EQ(outcome.status, status);
    const std::string error = only_error(outcome);
    EXPECT_THAT(error, testing::StartsWith("--tokens @" + path + ": wanted "));
    return error;
  };
  EXPECT_THAT(refused(scratch("no_ids.txt"), 1), HasSubstr("found No such file"));
  EXPECT_THAT(refused(scratch(""), 1), HasSubstr("found Is a directory"));
  EXPECT_THAT(refused(write_scratch("words.txt", "1,two"), 2), HasSubstr("found 'two'"));
  EXPECT_THAT(refused(write_scratch("long.txt", std::string(5000, '7')), 2),
              testing::SizeIs(testing::Lt(300)));
}

TEST(Logits, ErrorsLeaveNoFile) {
  const std::string path = scratch("never.npy");
  const auto refused = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"logits", tiny(), "-o", path});
    const Outcome outcome = run(flags);
    EXPECT_EQ(outcome.status, 1);
    return only_error(outcome);
  };
  EXPECT_THAT(refused({"--tokens", "1,2,288"}), HasSubstr("token id 288: wanted 0 to 287"));
  EXPECT_THAT(refused({"--tokens", "1,2,3", "--split", "2,1", "-c", "2"}), HasSubstr("larger context (-c)"));
  for (const auto& entry : std::filesystem::directory_iterator(scratch("")))
    EXPECT_THAT(entry.path().filename().string(), testing::Not(testing::StartsWith("never.npy")));

  const Outcome no_folder = run({"logits", tiny(), "--tokens", "1", "-o", scratch("no_folder/x.npy")});
  EXPECT_EQ(no_folder.status, 1);
  EXPECT_THAT(only_error(no_folder), HasSubstr("no_folder/x.npy"));
  const Outcome device = run({"logits", tiny(), "--tokens", "1", "-o", "/dev/null"});
  EXPECT_EQ(device.status, 1);
  EXPECT_THAT(only_error(device), HasSubstr("a new file or a regular one"));
}

}  // namespace
}  // namespace tenon::e2e
