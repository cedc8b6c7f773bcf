#include "tenon/engine/base_logits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace tenon::engine {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::string_view kMagic = "_logits_";
constexpr size_t kHeaderBytes = 20;
constexpr size_t kRowHeadBytes = 2 * sizeof(float);
constexpr float kLevels = 65535;
constexpr float kLargestGap = 16;  // below the largest logit; what is smaller is as this

size_t row_bytes(int32_t vocabulary) {
  return kRowHeadBytes + (static_cast<size_t>(vocabulary) + 1) / 2 * 2 * sizeof(uint16_t);
}

template <class T>
T load(std::span<const std::byte> bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void store(std::span<std::byte> bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Error damaged(std::string where, std::string wanted, std::string found) {
  return {ErrorCode::kInvalidFile, std::move(where), std::move(wanted), std::move(found),
          "write the file of base logits anew"};
}

// Every operation in f32 but the sum, as the format's source has them: the same logits give the same bytes.
void encode(std::span<const float> logits, std::span<std::byte> out) {
  const auto [least_at, largest_at] = std::minmax_element(logits.begin(), logits.end());
  const float largest = *largest_at, least = std::max(*least_at, largest - kLargestGap);
  double sum = 0;
  for (const float logit : logits) sum += static_cast<double>(std::exp(logit - largest));
  const float step = (largest - least) / kLevels;
  store(out, 0, step);
  store(out, sizeof step, least - largest - static_cast<float>(std::log(sum)));
  const float scale = step > 0 ? 1 / step : 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const float level = std::nearbyint(scale * std::max(logits[i] - least, 0.0f));
    store(out, kRowHeadBytes + i * sizeof(uint16_t), static_cast<uint16_t>(std::min(level, kLevels)));
  }
}

}  // namespace

BaseLogitsWriter::BaseLogitsWriter(FileWriter file, std::string path, const BaseLogitsShape& shape)
    : file_(std::move(file)),
      path_(std::move(path)),
      row_(row_bytes(shape.vocabulary)),
      missing_(scored_rows(shape.chunk_tokens) * shape.chunks) {}

Result<BaseLogitsWriter> BaseLogitsWriter::create(const std::string& path, const BaseLogitsShape& shape,
                                                  std::span<const int32_t> tokens) {
  const auto rows = static_cast<size_t>(scored_rows(shape.chunk_tokens) * shape.chunks);
  TENON_ASSIGN(FileWriter file, FileWriter::create(path, kHeaderBytes + tokens.size_bytes() +
                                                             rows * row_bytes(shape.vocabulary)));
  BaseLogitsWriter writer(std::move(file), path, shape);
  writer.file_.write(std::as_bytes(std::span(kMagic)));
  for (const int32_t field : {shape.chunk_tokens, shape.vocabulary, shape.chunks})
    writer.file_.write(std::as_bytes(std::span(&field, 1)));
  writer.file_.write(std::as_bytes(tokens));
  return writer;
}

Status BaseLogitsWriter::add(std::span<const float> logits) {
  encode(logits, row_);
  file_.write(row_);
  --missing_;
  if (file_.good()) return {};
  return Error{ErrorCode::kIo, path_, "a file that can be written", std::strerror(errno), ""};
}

Status BaseLogitsWriter::finish() {
  if (missing_ != 0) throw std::logic_error("[BaseLogitsWriter::finish] other rows than the shape says");
  return file_.finish();
}

Result<BaseLogits> BaseLogits::open(const std::string& path) {
  TENON_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::open(path));
  Result<BaseLogits> out = parse(file->bytes());
  if (!out.ok()) {
    Error error = std::move(out).error();
    error.where = path + ": " + error.where;
    return error;
  }
  out->path_ = path + ": ";
  out->file_ = std::move(file);
  return out;
}

Result<BaseLogits> BaseLogits::parse(std::span<const std::byte> bytes) {
  BaseLogits out;
  TENON_RETURN_IF_ERROR(out.read(bytes));
  return out;
}

Status BaseLogits::read(std::span<const std::byte> bytes) {
  const size_t magic_bytes = std::min(bytes.size(), kMagic.size());
  if (bytes.empty() || std::memcmp(bytes.data(), kMagic.data(), magic_bytes) != 0) {
    return Error{ErrorCode::kInvalidFile, "first bytes", "'_logits_', a file of base logits",
                 "something else", "write one: the same command without --kl-divergence"};
  }
  const auto cut = [&](const std::string& wanted) {
    return damaged("size", wanted, std::to_string(bytes.size()) + " bytes");
  };
  if (bytes.size() < kHeaderBytes) return cut("a header of " + std::to_string(kHeaderBytes) + " bytes");
  shape_ = {load<int32_t>(bytes, 8), load<int32_t>(bytes, 12), load<int32_t>(bytes, 16)};
  const auto least = [](std::string what, int64_t wanted, int32_t found) -> Status {
    if (found >= wanted) return {};
    return damaged(std::move(what), std::to_string(wanted) + " or more", std::to_string(found));
  };
  TENON_RETURN_IF_ERROR(least("tokens of a chunk", kLeastChunkTokens, shape_.chunk_tokens));
  TENON_RETURN_IF_ERROR(least("vocabulary", 1, shape_.vocabulary));
  TENON_RETURN_IF_ERROR(least("chunks", 1, shape_.chunks));

  // Products of two such factors fit 64 bits, also times 4; with the bytes of a row they may not.
  const auto chunks = static_cast<size_t>(shape_.chunks), each = static_cast<size_t>(shape_.chunk_tokens);
  const size_t rows = chunks * static_cast<size_t>(scored_rows(shape_.chunk_tokens));
  const size_t rest = bytes.size() - kHeaderBytes, token_bytes = chunks * each * sizeof(int32_t);
  const size_t wide = row_bytes(shape_.vocabulary);
  if (token_bytes > rest || rows > (rest - token_bytes) / wide || token_bytes + rows * wide != rest) {
    return cut("what " + std::to_string(shape_.chunks) + " chunks of " + std::to_string(shape_.chunk_tokens) +
               " tokens over a vocabulary of " + std::to_string(shape_.vocabulary) + " take");
  }
  tokens_.resize(chunks * each);
  std::memcpy(tokens_.data(), bytes.data() + kHeaderBytes, token_bytes);
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i] >= 0 && tokens_[i] < shape_.vocabulary) continue;
    return damaged("token " + std::to_string(i), "0 to " + std::to_string(shape_.vocabulary - 1),
                   std::to_string(tokens_[i]));
  }
  rows_ = bytes.subspan(kHeaderBytes + token_bytes);
  return {};
}

Status BaseLogits::row(int64_t chunk, int64_t row, std::span<float> out) const {
  if (chunk < 0 || chunk >= shape_.chunks || row < 0 || row >= scored_rows(shape_.chunk_tokens) ||
      out.size() != static_cast<size_t>(shape_.vocabulary)) {
    throw std::out_of_range("[BaseLogits::row] no such row, or of another width");
  }
  const size_t wide = row_bytes(shape_.vocabulary);
  const auto index = static_cast<size_t>(chunk * scored_rows(shape_.chunk_tokens) + row);
  const std::span<const std::byte> bytes = rows_.subspan(index * wide, wide);
  const auto step = load<float>(bytes, 0), least = load<float>(bytes, sizeof(float));
  constexpr float kRounding = 1e-3f;  // a probability of 1 may come out a little above it
  if (!(step >= 0 && std::isfinite(least) && least + step * kLevels <= kRounding)) {
    return damaged(path_ + "chunk " + std::to_string(chunk + 1) + ", row " + std::to_string(row),
                   "log probabilities, none above 0",
                   std::to_string(least) + " + " + std::to_string(step) + " * value");
  }
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = least + step * static_cast<float>(load<uint16_t>(bytes, kRowHeadBytes + i * sizeof(uint16_t)));
  return {};
}

}  // namespace tenon::engine
