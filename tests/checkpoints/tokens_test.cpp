// Token ids of real vocabularies without a checkpoint in models/, against llama.cpp's.
#include "tenon/gguf/file.h"
#include "tenon/text/tokenizer_test_support.h"
#include "tests/checkpoints/oracle_files.h"

namespace tenon::checkpoints {
namespace {

struct Vocabulary {
  text::VocabularyData data;
  text::TokenGolden golden;
};

Vocabulary read(const std::string& name) {
  const auto path =
      oracle_path("llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-" + name + ".gguf");
  const auto file = gguf::File::open(path.string()).value();
  return {text::read_vocabulary(file->metadata()).value(), text::TokenGolden(name + ".json")};
}

void expect_ids_and_pieces(const Vocabulary& vocabulary) {
  vocabulary.golden.expect_runs(vocabulary.data);
  vocabulary.golden.expect_bos_and_eos(vocabulary.data);
  const text::Tokenizer tokenizer = text::TokenGolden::build(vocabulary.data);
  vocabulary.golden.expect_vocabulary(tokenizer);
  vocabulary.golden.expect_pieces(tokenizer);
}

TEST(RealVocabulary, SentencePiecesOfLlama2GiveTheIdsOfLlamaCpp) {
  const Vocabulary vocabulary = read("llama-spm");
  expect_ids_and_pieces(vocabulary);
  vocabulary.golden.expect_texts(text::TokenGolden::build(vocabulary.data));
}

TEST(RealVocabulary, CharacterPairsOfGemma4GiveTheIdsOfLlamaCpp) { expect_ids_and_pieces(read("gemma-4")); }

}  // namespace
}  // namespace tenon::checkpoints
