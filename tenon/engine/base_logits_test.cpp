#include "tenon/engine/base_logits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace tenon::engine {
namespace {

namespace fs = std::filesystem;
const std::string kCapture = TENON_SOURCE_DIR "/tests/golden/perplexity/llama-gqa4x2.kld";

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string refusal(std::span<const std::byte> bytes) {
  const Result<BaseLogits> out = BaseLogits::parse(bytes);
  return out.ok() ? "" : out.error().message();
}

void put(std::vector<std::byte>& bytes, size_t at, auto value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

constexpr size_t kRowsAt = 20 + 7 * 33 * 4, kRowBytes = 8 + 288 * 2;

TEST(BaseLogits, ReadsWhatLlamaPerplexityWrote) {
  const BaseLogits base = BaseLogits::open(kCapture).value();
  EXPECT_EQ(base.shape().chunk_tokens, 33);
  EXPECT_EQ(base.shape().vocabulary, 288);
  EXPECT_EQ(base.shape().chunks, 7);
  EXPECT_EQ(base.tokens().size(), 7u * 33);
  std::vector<float> row(288);
  for (int64_t chunk = 0; chunk < 7; ++chunk) {
    for (int64_t i = 0; i < scored_rows(33); ++i) {
      ASSERT_TRUE(base.row(chunk, i, row).ok());
      double sum = 0;
      for (const float log_probability : row) sum += std::exp(static_cast<double>(log_probability));
      EXPECT_NEAR(sum, 1, 1e-4);
    }
  }
  EXPECT_THROW(static_cast<void>(base.row(7, 0, row)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(base.row(0, 16, row)), std::out_of_range);
}

TEST(BaseLogits, WritingWhatWasReadGivesTheSameFile) {
  const BaseLogits base = BaseLogits::open(kCapture).value();
  const fs::path path = fs::temp_directory_path() / ("tenon_base." + std::to_string(getpid()));
  {
    BaseLogitsWriter writer = BaseLogitsWriter::create(path, base.shape(), base.tokens()).value();
    std::vector<float> row(288);
    for (int64_t chunk = 0; chunk < 7; ++chunk) {
      for (int64_t i = 0; i < scored_rows(33); ++i) {
        ASSERT_TRUE(base.row(chunk, i, row).ok());
        ASSERT_TRUE(writer.add(row).ok());
      }
    }
    EXPECT_FALSE(fs::exists(path)) << "before it is whole";
    ASSERT_TRUE(writer.finish().ok());
  }
  const std::vector<std::byte> found = bytes_of(path), expected = bytes_of(kCapture);
  fs::remove(path);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(std::memcmp(found.data(), expected.data(), kRowsAt), 0);
  for (size_t at = kRowsAt; at < found.size(); at += kRowBytes) {
    float step[2], least[2];
    uint16_t values[2][288];
    for (const auto& [i, bytes] : {std::pair(0, &found), std::pair(1, &expected)}) {
      std::memcpy(&step[i], bytes->data() + at, 4);
      std::memcpy(&least[i], bytes->data() + at + 4, 4);
      std::memcpy(values[i], bytes->data() + at + 8, sizeof values[i]);
    }
    EXPECT_NEAR(step[0], step[1], 1e-9);
    EXPECT_NEAR(least[0], least[1], 1e-4);
    for (size_t i = 0; i < 288; ++i) EXPECT_NEAR(values[0][i], values[1][i], 1);
  }
}

TEST(BaseLogits, AnUnfinishedFileIsNone) {
  const fs::path folder = fs::temp_directory_path() / ("tenon_base_folder." + std::to_string(getpid()));
  fs::create_directory(folder);
  const int32_t tokens[] = {0, 1, 2, 3};
  {
    BaseLogitsWriter writer = BaseLogitsWriter::create(folder / "x", {4, 5, 1}, tokens).value();
    EXPECT_THROW(static_cast<void>(writer.finish()), std::logic_error);
  }
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove(folder);
  EXPECT_FALSE(BaseLogitsWriter::create(folder / "x", {4, 5, 1}, tokens).ok());
}

TEST(BaseLogits, CutAnywhereOrLongerIsRefused) {
  std::vector<std::byte> bytes = bytes_of(kCapture);
  for (size_t size = 0; size < bytes.size(); size += size < kRowsAt + 8 ? 1 : 97)
    EXPECT_NE(refusal(std::span(bytes).first(size)), "") << size;
  bytes.push_back({});
  EXPECT_NE(refusal(bytes), "");
}

TEST(BaseLogits, WhatTheHeaderSaysIsCheckedBeforeItIsBelieved) {
  const std::vector<std::byte> good = bytes_of(kCapture);
  for (const size_t field : {8u, 12u, 16u}) {
    for (const int32_t value : {INT32_MIN, -1, 0, 1, 2, 32, 34, 286, 290, INT32_MAX}) {
      std::vector<std::byte> bytes = good;
      put(bytes, field, value);
      EXPECT_NE(refusal(bytes), "") << field << ' ' << value;
    }
  }
  std::vector<std::byte> all_largest = good;
  for (const size_t field : {8u, 12u, 16u}) put(all_largest, field, INT32_MAX);
  EXPECT_NE(refusal(all_largest).find("size: wanted what 2147483647 chunks"), std::string::npos);
  std::vector<std::byte> other = good;
  other[0] = {};
  EXPECT_NE(refusal(other).find("a file of base logits"), std::string::npos);
  for (const int32_t token : {-1, 288}) {
    std::vector<std::byte> bytes = good;
    put(bytes, 20 + 4 * 5, token);
    EXPECT_EQ(refusal(bytes), "token 5: wanted 0 to 287, found " + std::to_string(token) +
                                  " (write the file of base logits anew)");
  }
}

TEST(BaseLogits, RowsThatHoldNoProbabilitiesAreRefused) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  for (const auto& [at, value] :
       {std::pair(0, -1e-4f), {0, kNan}, {0, kInfinity}, {0, 1.0f}, {4, kNan}, {4, -kInfinity}}) {
    std::vector<std::byte> bytes = bytes_of(kCapture);
    put(bytes, kRowsAt + 17 * kRowBytes + static_cast<size_t>(at), value);
    const BaseLogits base = BaseLogits::parse(bytes).value();
    std::vector<float> row(288);
    EXPECT_TRUE(base.row(1, 0, row).ok());
    const Status bad = base.row(1, 1, row);
    ASSERT_FALSE(bad.ok()) << value;
    EXPECT_EQ(bad.error().where, "chunk 2, row 1");
  }
}

}  // namespace
}  // namespace tenon::engine
