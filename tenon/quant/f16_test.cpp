#include "tenon/quant/f16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tenon/quant/bf16.h"

namespace tenon::quant {
namespace {

bool is_nan(uint16_t half) { return (half & 0x7fff) > 0x7c00; }

// What binary16 means: (-1)^sign * 2^(exponent - 15) * 1.mantissa, or 2^-14 * 0.mantissa where the exponent
// is 0.
TEST(F16, DecodesEveryNumberByItsDefinition) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    const double sign = half & 0x8000 ? -1.0 : 1.0;
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, -24)
                             : exponent == 31
                                 ? mantissa ? std::nan("") : std::numeric_limits<double>::infinity()
                                 : std::ldexp(1024 + mantissa, exponent - 25);
    const float found = f16_to_f32(static_cast<uint16_t>(half));
    if (std::isnan(magnitude)) {
      EXPECT_TRUE(std::isnan(found)) << half;
    } else {
      EXPECT_EQ(static_cast<double>(found), sign * magnitude) << half;
      EXPECT_EQ(std::signbit(found), sign < 0) << half;
      EXPECT_EQ(f32_to_f16(found), half);
    }
  }
}

// Between neighbours the midpoint goes to the even one, and what lies next to the midpoint to the nearer one.
TEST(F16, RoundsToNearestEvenBetweenAllNeighbours) {
  for (uint32_t low = 0; low < 0x7c00; ++low) {
    const auto half = static_cast<uint16_t>(low);
    // Above the largest number, 65536 takes infinity's place.
    const float below = f16_to_f32(half), above = low == 0x7bff ? 65536.0f : f16_to_f32(half + 1);
    const float middle = below + (above - below) / 2;
    EXPECT_EQ(f32_to_f16(middle), low % 2 == 0 ? low : low + 1) << low;
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, below)), low) << low;
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, above)), low + 1) << low;
    EXPECT_EQ(f32_to_f16(-std::nextafter(middle, above)), (low + 1) | 0x8000) << low;
  }
}

TEST(F16, KeepsInfinitiesAndNans) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f32_to_f16(infinity), 0x7c00);
  EXPECT_EQ(f32_to_f16(-infinity), 0xfc00);
  EXPECT_EQ(f32_to_f16(3e38f), 0x7c00);
  EXPECT_TRUE(is_nan(f32_to_f16(std::nanf(""))));
  EXPECT_EQ(f32_to_f16(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(f32_to_f16(-0.0f), 0x8000);
}

TEST(BF16, RoundsToNearestEvenBetweenAllNeighbours) {
  for (uint32_t low = 0; low < 0x7f7f; ++low) {
    const auto number = static_cast<uint16_t>(low);
    const float below = bf16_to_f32(number), above = bf16_to_f32(number + 1);
    const float middle = below + (above - below) / 2;
    EXPECT_EQ(f32_to_bf16(below), low);
    EXPECT_EQ(f32_to_bf16(middle), low % 2 == 0 ? low : low + 1) << low;
    EXPECT_EQ(f32_to_bf16(std::nextafter(middle, below)), low) << low;
    EXPECT_EQ(f32_to_bf16(-std::nextafter(middle, above)), (low + 1) | 0x8000) << low;
  }
}

TEST(BF16, KeepsInfinitiesAndNans) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f32_to_bf16(infinity), 0x7f80);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001u)))));
}

}  // namespace
}  // namespace tenon::quant
