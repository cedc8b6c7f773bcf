// Token ids of a real SentencePiece vocabulary, that of Llama 2, against llama.cpp's.
#include "tenon/gguf/file.h"
#include "tenon/text/tokenizer_test_support.h"
#include "tests/checkpoints/oracle_files.h"

namespace tenon::checkpoints {
namespace {

TEST(RealVocabulary, SentencePiecesGiveTheIdsOfLlamaCpp) {
  const auto path = oracle_path("llama_cpp_python-0.3.36/vendor/llama.cpp/models/ggml-vocab-llama-spm.gguf");
  const auto file = gguf::File::open(path.string());
  ASSERT_TRUE(file.ok()) << file.error().message();
  const text::VocabularyData data = text::read_vocabulary((*file)->metadata()).value();
  const text::TokenGolden golden("llama-spm.json");
  golden.expect_runs(data);
  golden.expect_bos_and_eos(data);
  const text::Tokenizer tokenizer = text::TokenGolden::build(data);
  golden.expect_vocabulary(tokenizer);
  golden.expect_pieces(tokenizer);
  golden.expect_texts(tokenizer);
}

}  // namespace
}  // namespace tenon::checkpoints
