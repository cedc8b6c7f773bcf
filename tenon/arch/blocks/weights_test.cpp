#include "tenon/arch/blocks/weights.h"

#include <gtest/gtest.h>

#include <map>

#include "tenon/arch/architecture.h"
#include "tenon/gguf/writer.h"
#include "tests/fixtures/model.h"

namespace tenon::arch {
namespace {

std::shared_ptr<const gguf::File> parsed(const gguf::Writer& writer) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(writer.to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

void add(gguf::Writer& writer, std::string_view name, ElementType element,
         const std::vector<int64_t>& extents) {
  writer.add_tensor(name, element, extents, [](std::span<std::byte>) {});
}

std::shared_ptr<const gguf::File> some_tensors() {
  gguf::Writer writer;
  add(writer, "matrix", ElementType::kQ4_0, {3, 64});
  add(writer, "vector", ElementType::kF32, {5});
  add(writer, "halves", ElementType::kF16, {5});
  add(writer, "integers", ElementType::kI32, {3, 4});
  return parsed(writer);
}

template <class T>
std::string message(const Result<T>& result) {
  return result.ok() ? "ok" : result.error().message();
}

TEST(Weights, ComeWithTheFilesTypeOnce) {
  GraphBuilder graph("test");
  Weights weights(some_tensors());
  const decoder::Edge matrix = weights.matrix(graph, "matrix", 3, 64).value();
  EXPECT_EQ(graph.type(matrix).to_string(), "q4_0[3:channel,64:channel]");
  EXPECT_EQ(weights.matrix(graph, "matrix", 3, 64).value(), matrix);
  EXPECT_EQ(weights.optional_vector(graph, "absent", 5).value(), std::nullopt);
}

TEST(Weights, RefuseByNameWhatIsNotAsWanted) {
  GraphBuilder graph("test");
  Weights weights(some_tensors());
  EXPECT_EQ(message(weights.matrix(graph, "absent", 3, 64)),
            "tensor 'absent': wanted a tensor of shape [3,64], found none of that name");
  EXPECT_EQ(message(weights.matrix(graph, "matrix", 64, 3)),
            "tensor 'matrix': wanted shape [64,3], found [3,64]");
  EXPECT_EQ(message(weights.matrix(graph, "integers", 3, 4)),
            "tensor 'integers': wanted a float or block type, found i32");
  EXPECT_EQ(message(weights.vector(graph, "halves", 5)), "tensor 'halves': wanted type f32, found f16");
  EXPECT_EQ(message(weights.optional_vector(graph, "vector", 6)),
            "tensor 'vector': wanted shape [6], found [5]");
  EXPECT_EQ(message(weights.rows("vector")), "tensor 'vector': wanted a matrix, found shape [5]");
}

TEST(Weights, NoneMayBeLeftOut) {
  GraphBuilder graph("test");
  Weights weights(some_tensors());
  ASSERT_TRUE(weights.matrix(graph, "matrix", 3, 64).ok());
  const Status status = weights.check_all_used();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().where, "tensor 'vector'");
}

// ---- as whole models have them ----

std::string refusal(gguf::Writer writer) { return message(build_decoder(parsed(writer))); }

TEST(Weights, FrequencyFactorsOfAnotherLengthAreRefused) {
  gguf::Writer writer = fixtures::make_model({});
  add(writer, "rope_freqs.weight", ElementType::kF32, {7});
  EXPECT_EQ(refusal(writer), "tensor 'rope_freqs.weight': wanted shape [8], found [7]");
}

TEST(Weights, ATensorThatLlamaDoesNotUseIsRefused) {
  gguf::Writer writer = fixtures::make_model({});
  add(writer, "blk.0.attn_q_norm.weight", ElementType::kF32, {16});
  EXPECT_NE(refusal(writer).find("tensor 'blk.0.attn_q_norm.weight'"), std::string::npos) << refusal(writer);
}

TEST(Weights, RowsBeyondTheTokensLoadAndFewerAreRefused) {
  EXPECT_TRUE(
      build_decoder(parsed(fixtures::make_model({.vocabulary_rows = fixtures::kVocabulary + 24}))).ok());
  gguf::Writer writer;
  writer.set("general.architecture", "llama");
  for (const auto& [key, number] : std::map<std::string, uint32_t>{{"block_count", 1},
                                                                   {"embedding_length", 8},
                                                                   {"attention.head_count", 2},
                                                                   {"feed_forward_length", 12},
                                                                   {"context_length", 32}}) {
    writer.set("llama." + key, number);
  }
  writer.set("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  writer.set("tokenizer.ggml.tokens", std::vector<std::string>(128, "x"));
  add(writer, "token_embd.weight", ElementType::kF32, {100, 8});
  EXPECT_EQ(refusal(writer),
            "tensor 'token_embd.weight': wanted a row for each of the 128 tokens, found 100 rows");
}

}  // namespace
}  // namespace tenon::arch
