#include "tenon/synth/random_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tenon/quant/block_format.h"

namespace tenon::synth {
namespace {

constexpr int64_t kElements = int64_t{1} << 18;

std::vector<std::byte> blocks(ElementType type, double deviation, uint64_t key) {
  std::vector<std::byte> out(bytes_for(type, kElements));
  random_blocks(type, deviation, Words(key), 0, out);
  return out;
}

std::vector<ElementType> types() {
  std::vector<ElementType> out;
  for (const ElementTypeInfo& type : element_types()) {
    if (has_random_blocks(type.type)) out.push_back(type.type);
  }
  return out;
}

TEST(RandomBlocks, DecodeToTheWantedDeviationAroundZero) {
  for (const ElementType type : types()) {
    for (const double deviation : {1.0, 0.0221, 0.00835}) {  // of 2048 and of 14336 columns
      SCOPED_TRACE(std::string(name(type)) + " " + std::to_string(deviation));
      const std::vector<std::byte> data = blocks(type, deviation, 7);
      std::vector<float> values(kElements);
      quant::block_format(type).decode_row(data.data(), values.data(), kElements);
      double sum = 0, squares = 0;
      for (const float value : values) {
        sum += value;
        squares += static_cast<double>(value) * value;
      }
      EXPECT_NEAR(std::sqrt(squares / kElements), deviation, 0.03 * deviation);
      EXPECT_NEAR(sum / kElements, 0, 0.01 * deviation);
    }
  }
}

TEST(RandomBlocks, AreTheSameInWhateverPieces) {
  for (const ElementType type : types()) {
    const std::vector<std::byte> whole = blocks(type, 0.02, 11);
    const auto block = static_cast<size_t>(info(type).block_bytes);
    const size_t count = whole.size() / block;
    std::vector<std::byte> pieces(whole.size());
    for (const auto& [begin, end] : {std::pair{size_t{5}, count}, std::pair{size_t{0}, size_t{5}}}) {
      random_blocks(type, 0.02, Words(11), begin,
                    std::span(pieces).subspan(begin * block, (end - begin) * block));
    }
    EXPECT_EQ(pieces, whole) << name(type);
    EXPECT_NE(blocks(type, 0.02, 12), whole) << name(type);
  }
}

TEST(RandomBlocks, RefuseTypesThatWeightsDoNotHave) {
  std::vector<std::byte> data(8);
  EXPECT_THROW(random_blocks(ElementType::kI32, 1, Words(0), 0, data), std::invalid_argument);
}

TEST(Uniform, StaysBetweenItsBounds) {
  float least = 9, most = -9;
  for (uint64_t i = 0; i < 10000; ++i) {
    const float value = uniform(Words(3), i, -2, 5);
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_GE(least, -2.0f);
  EXPECT_LT(least, -1.99f);
  EXPECT_LE(most, 5.0f);
  EXPECT_GT(most, 4.99f);
}

}  // namespace
}  // namespace tenon::synth
