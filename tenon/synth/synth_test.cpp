#include "tenon/synth/synth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "tenon/gguf/file.h"
#include "tenon/synth/file_type.h"
#include "tenon/synth/models.h"
#include "tenon/text/tokenizer.h"

namespace tenon::synth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::shared_ptr<const gguf::File> parsed(const gguf::Writer& writer) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(writer.to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

std::shared_ptr<const gguf::File> made(const SynthOptions& options) {
  return parsed(synthesise(options).value());
}

// Of the tensors whose type is neither f32 nor that of most.
std::map<std::string, std::string> other_types(const SynthOptions& options) {
  const std::string_view base = name(find_file_type(options.type)->element);
  std::map<std::string, std::string> out;
  const auto file = made(options);
  for (const gguf::TensorInfo& tensor : file->tensors()) {
    const std::string_view type = name(tensor.element);
    if (type != "f32" && type != base) out.emplace(tensor.name, type);
  }
  return out;
}

// Lines "MODEL LAYERS TYPE TENSOR=TYPE …", made by tools/oracle/capture_types.py.
TEST(Synth, GivesTensorsTheTypesThatLlamaQuantizeGivesThem) {
  std::ifstream file(TENON_SOURCE_DIR "/tests/golden/synth/types.txt");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    std::istringstream words(line);
    SynthOptions options;
    int64_t layers = 0;
    words >> options.model >> layers >> options.type;
    options.layers = layers;
    std::map<std::string, std::string> expected;
    for (std::string word; words >> word;) {
      const size_t sign = word.find('=');
      expected.emplace(word.substr(0, sign), word.substr(sign + 1));
    }
    EXPECT_EQ(other_types(options), expected) << line.substr(0, 40);
  }
  EXPECT_GE(cases, 20);
}

TEST(Synth, EqualSeedsGiveEqualFilesOnAnyNumberOfThreads) {
  const auto bytes = [](uint64_t seed, int threads) {
    return synthesise({.model = "qwen3-tiny", .seed = seed, .threads = threads}).value().to_bytes();
  };
  EXPECT_EQ(bytes(5, 1), bytes(5, 3));
  EXPECT_NE(bytes(5, 1), bytes(6, 1));
}

TEST(Synth, EveryModelIsDescribedWithTheSizesOfItsVocabulary) {
  for (const Model& model : models()) {
    SCOPED_TRACE(model.name);
    const gguf::Writer writer = synthesise({.model = std::string(model.name)}).value();
    const std::vector<std::byte> head = writer.head();
    EXPECT_LT(head.size(), writer.file_bytes());
    gguf::Writer described;
    Blueprint blueprint(described, model.architecture);
    model.describe(blueprint, model.fewest_layers);
    const TensorPlan& table = blueprint.tensors().front();
    EXPECT_EQ(table.name, "token_embd.weight");
    EXPECT_EQ(table.extents.front(), model.vocabulary.tokens);
  }
}

TEST(Synth, RealModelsHaveTheirRealSizes) {
  const std::pair<const char*, double> sizes[] = {
      // 10^9 parameters, as their authors give them
      {"gemma-4-e2b", 4.65}, {"llama-3.1-8b", 8.03}, {"llama-3.2-1b", 1.24}, {"phi-3.5-mini", 3.82},
      {"phi-4-mini", 3.84},  {"qwen3-4b", 4.02},     {"qwen3.5-4b", 4.21},   {"smollm2-1.7b", 1.71}};
  for (const auto& [name, wanted] : sizes) {
    const gguf::Writer writer = synthesise({.model = name, .type = "F16"}).value();
    EXPECT_NEAR(static_cast<double>(writer.file_bytes()) / 2e9, wanted, 0.02) << name;
  }
}

TEST(Synth, TextBecomesTokensAndTextAgain) {
  for (const char* model : {"llama-tiny", "gemma-4-tiny", "phi-tiny"}) {
    SCOPED_TRACE(model);
    const text::Tokenizer tokenizer = text::Tokenizer::load(*made({.model = model})).value();
    const std::string text = "the quick (brown) fox, 42 Überraschungen\n";
    const std::vector<int32_t> tokens = tokenizer.encode(text, {.add_special = false});
    EXPECT_LT(tokens.size(), text.size()) << "some merge applies";
    EXPECT_EQ(tokenizer.decode(tokens, false), text);
    EXPECT_EQ(tokenizer.vocabulary_size(), 512);
  }
}

TEST(Synth, NamesWhatIsThereWhenAskedForSomethingElse) {
  const auto refused = [](const SynthOptions& options) { return synthesise(options).error().message(); };
  EXPECT_THAT(refused({.model = "llama-9"}), StartsWith("model: wanted one of gemma-4-e2b, "));
  EXPECT_THAT(refused({.model = "llama-9"}), HasSubstr("smollm2-1.7b, found 'llama-9'"));
  EXPECT_THAT(refused({.model = "llama-tiny", .type = "Q9"}),
              testing::AllOf(StartsWith("type: wanted one of F32, "), HasSubstr("found 'Q9'")));
  EXPECT_EQ(refused({.model = "qwen3.5-tiny", .layers = 3}),
            "layers: wanted a whole number from 4 to 512 for qwen3.5-tiny, found '3'");
  EXPECT_EQ(refused({.model = "llama-tiny", .layers = 513}),
            "layers: wanted a whole number from 1 to 512 for llama-tiny, found '513'");
}

}  // namespace
}  // namespace tenon::synth
