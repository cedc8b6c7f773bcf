// tenon synth and tenon quantize: models from nothing, and the exact models of quantised ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tenon/gguf/file.h"
#include "tests/e2e/files.h"
#include "tests/e2e/npy_file.h"
#include "tests/e2e/program.h"

namespace tenon::e2e {
namespace {

using testing::HasSubstr;

constexpr double kLargestError = 1e-10;  // NMSE; nothing but rounding is between them

std::string made(const std::string& model, std::vector<std::string> flags = {}) {
  const std::string path = scratch(model + ".gguf");
  flags.insert(flags.begin(), {"synth", model, "-o", path, "--force"});
  const Outcome outcome = run(flags);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("wrote " + path));
  return path;
}

std::vector<float> expected_logits(const std::string& model) {
  const auto judged = gguf::File::open(TENON_SOURCE_DIR "/tests/golden/synth/" + model + ".gguf").value();
  const gguf::TensorInfo* logits = judged->find_tensor("exact");
  if (logits == nullptr) logits = judged->tensor("logits").value();
  std::vector<float> out(logits->data.size() / sizeof(float));
  std::memcpy(out.data(), logits->data.data(), logits->data.size());
  return out;
}

class SynthesisedModel : public testing::TestWithParam<const char*> {};

TEST_P(SynthesisedModel, DequantisedHasTheLogitsOfLlamaCpp) {
  const std::string exact = scratch("exact.gguf"), path = scratch("logits.npy");
  const Outcome quantised = run({"quantize", made(GetParam()), exact, "F32", "--force"});
  ASSERT_EQ(quantised.status, 0) << quantised.err;
  // The context of the captures: RoPE's factors for long contexts depend on it.
  const Outcome outcome = run({"logits", exact, "--tokens", "3,40,200,97,311,470,12", "--split", "5,1,1",
                               "-c", "512", "--kv", "f32", "-o", path});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(normalised_error(read_npy(path).values, expected_logits(GetParam())), kLargestError);
}

INSTANTIATE_TEST_SUITE_P(Tiny, SynthesisedModel,
                         testing::Values("gemma-4-tiny", "llama-tiny", "phi-tiny", "qwen3-tiny",
                                         "qwen3.5-tiny"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

TEST(Synth, ModelsAnswer) {
  const Outcome outcome = run({"run", made("llama-tiny"), "-p", "hello there", "-n", "8"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LE(closing_figures(outcome.err).generated, 8);
}

TEST(Synth, AContextBeyondTheTrainedOneIsTold) {
  const std::string model = made("llama-tiny"), note = "tenon: note: ";
  const std::string trained = "; the model was trained on 4096 at most\n";
  const Outcome answer = run({"run", model, "-p", "hello there", "-n", "1", "-c", "4097"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err, testing::StartsWith(note + "a context of 4097 tokens" + trained));
  const Outcome bench = run({"bench", model, "-p", "0", "-n", "1", "-d", "4096", "-r", "1"});
  EXPECT_EQ(bench.status, 0) << bench.err;
  EXPECT_THAT(bench.err, testing::StartsWith(note + "tests of 4097 tokens" + trained));
  EXPECT_THAT(run({"run", model, "-p", "hello there", "-n", "1"}).err, testing::Not(HasSubstr(note)));
}

TEST(Synth, TakesNoFilesPlaceUnlessTold) {
  const std::string path = write_scratch("mine.gguf", "mine");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"synth", "llama-tiny", "-o", path}, {"quantize", tiny(), path, "F32"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(only_error(outcome),
                testing::StartsWith(path + ": wanted a new file, found one that is there already"));
    EXPECT_EQ(std::filesystem::file_size(path), 4u);
  }
}

TEST(Synth, TellsOfLayersThatAFamilyCannotHave) {
  const Outcome outcome = run({"synth", "qwen3.5-tiny", "-o", scratch("never.gguf"), "--layers", "3"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(only_error(outcome), "layers: wanted a whole number from 4 to 512 for qwen3.5-tiny, found '3'");
  EXPECT_FALSE(std::filesystem::exists(scratch("never.gguf")));
}

TEST(Synth, AFolderThatIsNotThereIsNamed) {
  const Outcome outcome = run({"synth", "llama-tiny", "-o", scratch("no_folder/x.gguf")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(only_error(outcome), HasSubstr("no_folder/x.gguf: wanted a file that can be written"));
}

}  // namespace
}  // namespace tenon::e2e
