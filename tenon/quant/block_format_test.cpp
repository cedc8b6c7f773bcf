#include "tenon/quant/block_format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/support/breaker.h"
#include "tests/support/quant_capture.h"

namespace tenon::quant {
namespace {

const test::Breaker one_bit("Q1_one_bit_of_a_block", "one bit of the blocks is another");

class BlockFormats : public ::testing::TestWithParam<ElementType> {};

TEST_P(BlockFormats, Q1_DecodesBitForBitAsGgml) {
  const test::QuantCapture capture(GetParam());
  const BlockFormat& format = block_format(GetParam());
  for (const std::string prefix : {"", "random_"}) {
    const std::vector<float> wanted = capture.floats(prefix + "decoded");
    std::vector<float> found(wanted.size());
    ASSERT_EQ(capture.bytes(prefix + "blocks").size(),
              bytes_for(GetParam(), static_cast<int64_t>(wanted.size())));
    const std::span<const std::byte> captured = capture.bytes(prefix + "blocks");
    std::vector<std::byte> blocks(captured.begin(), captured.end());
    if (one_bit.active()) blocks[blocks.size() / 2] ^= std::byte{1};
    format.decode_row(blocks.data(), found.data(), static_cast<int64_t>(found.size()));
    EXPECT_TRUE(test::same_bits(wanted, found)) << prefix << "blocks";
  }
}

TEST_P(BlockFormats, EncodesBitForBitAsGgml) {
  const test::QuantCapture capture(GetParam());
  const std::vector<float> values = capture.floats("values");
  const std::span<const std::byte> wanted = capture.bytes("blocks");
  std::vector<std::byte> found(wanted.size());
  block_format(GetParam()).encode_row(values.data(), found.data(), static_cast<int64_t>(values.size()));
  const auto block = static_cast<size_t>(info(GetParam()).block_bytes);
  for (size_t at = 0; at < wanted.size(); at += block) {
    ASSERT_EQ(std::memcmp(&wanted[at], &found[at], block), 0) << "block " << at / block;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, BlockFormats,
                         ::testing::Values(ElementType::kF16, ElementType::kBF16, ElementType::kQ4_0,
                                           ElementType::kQ4_1, ElementType::kQ5_0, ElementType::kQ5_1,
                                           ElementType::kQ8_0, ElementType::kQ2_0, ElementType::kMXFP4,
                                           ElementType::kIQ4_NL, ElementType::kQ2_K, ElementType::kQ3_K,
                                           ElementType::kQ4_K, ElementType::kQ5_K, ElementType::kQ6_K,
                                           ElementType::kIQ4_XS),
                         [](const auto& test) { return std::string(name(test.param)); });

// A type added to the table without a capture, or to ElementType without a format, fails here.
TEST(BlockFormats, AreTheFloatsAndEveryBlockType) {
  std::vector<ElementType> wanted, found;
  for (const ElementTypeInfo& entry : element_types()) {
    if (is_block(entry.type) || (is_float(entry.type) && entry.type != ElementType::kF64)) {
      wanted.push_back(entry.type);
    }
  }
  for (const BlockFormat& format : block_formats()) found.push_back(format.type);
  EXPECT_EQ(wanted, found);
  EXPECT_THROW(block_format(ElementType::kI32), std::invalid_argument);
}

}  // namespace
}  // namespace tenon::quant
