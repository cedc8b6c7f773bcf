// The file in which llama-perplexity keeps what one model makes of a text, for others to be compared with
// (--kl-divergence-base). Source of the format: tools/perplexity/perplexity.cpp of llama.cpp. Little endian:
//
//   "_logits_"  i32 tokens of a chunk  i32 vocabulary  i32 chunks  i32 tokens[chunks * tokens of a chunk]
//   rows[chunks * scored_rows]:  f32 step  f32 least  u16 value[vocabulary, rounded up to even]
//
// A row holds log probabilities, least + step * value. Reading checks every length before it is believed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/base/file_writer.h"
#include "tenon/base/mapped_file.h"

namespace tenon::engine {

struct BaseLogitsShape {
  int32_t chunk_tokens = 0;
  int32_t vocabulary = 0;
  int32_t chunks = 0;
};

// The second half of a chunk is scored, so that every token has some context: the first token whose logits
// count, and how many tokens have such logits and one that follows.
constexpr int64_t first_scored(int64_t chunk_tokens) { return chunk_tokens / 2; }
constexpr int64_t scored_rows(int64_t chunk_tokens) { return chunk_tokens - 1 - first_scored(chunk_tokens); }
inline constexpr int64_t kLeastChunkTokens = 3;  // with one row to score

class BaseLogitsWriter {
 public:
  // `tokens` are those of all chunks. Errors: FileWriter's; a disk without room for the whole file.
  static Result<BaseLogitsWriter> create(const std::string& path, const BaseLogitsShape& shape,
                                         std::span<const int32_t> tokens);

  // The next row's logits, f32 [vocabulary], all finite. Errors: kIo.
  Status add(std::span<const float> logits);
  // Throws std::logic_error when rows are missing.
  Status finish();

 private:
  BaseLogitsWriter(FileWriter file, std::string path, const BaseLogitsShape& shape);

  FileWriter file_;
  std::string path_;
  std::vector<std::byte> row_;
  int64_t missing_;  // rows that are still to come
};

class BaseLogits {
 public:
  // Errors name the path: a file that is cut or longer than it says, lengths and tokens that cannot be.
  static Result<BaseLogits> open(const std::string& path);
  // The same of bytes that outlive this; errors name no file.
  static Result<BaseLogits> parse(std::span<const std::byte> bytes);

  const BaseLogitsShape& shape() const { return shape_; }
  // [chunks * chunk_tokens], each below the vocabulary.
  std::span<const int32_t> tokens() const { return tokens_; }
  // Log probabilities of a chunk's row, into f32 [vocabulary]. Errors: a row that holds none.
  Status row(int64_t chunk, int64_t row, std::span<float> out) const;

 private:
  BaseLogits() = default;
  Status read(std::span<const std::byte> bytes);

  std::shared_ptr<const MappedFile> file_;  // of open()
  std::string path_;
  BaseLogitsShape shape_;
  std::vector<int32_t> tokens_;
  std::span<const std::byte> rows_;
};

}  // namespace tenon::engine
