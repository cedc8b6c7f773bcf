#include "tenon/quant/block_format.h"

#include <cstring>
#include <stdexcept>
#include <string>

#include "tenon/quant/bf16.h"
#include "tenon/quant/f16.h"
#include "tenon/quant/iq4_nl.h"
#include "tenon/quant/iq4_xs.h"
#include "tenon/quant/mxfp4.h"
#include "tenon/quant/q2_0.h"
#include "tenon/quant/q2_k.h"
#include "tenon/quant/q3_k.h"
#include "tenon/quant/q4_0.h"
#include "tenon/quant/q4_1.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q5_0.h"
#include "tenon/quant/q5_1.h"
#include "tenon/quant/q5_k.h"
#include "tenon/quant/q6_k.h"
#include "tenon/quant/q8_0.h"

namespace tenon::quant {

namespace {

// A row of plain numbers, read as blocks of one.
struct F32 {
  static constexpr int kElements = 1;
  float value;
};
struct F16 {
  static constexpr int kElements = 1;
  uint16_t value;
};
struct BF16 {
  static constexpr int kElements = 1;
  uint16_t value;
};

void decode(F32 number, float* value) { *value = number.value; }
void encode(const float* value, F32& number) { number.value = *value; }
void decode(F16 number, float* value) { *value = f16_to_f32(number.value); }
void encode(const float* value, F16& number) { number.value = f32_to_f16(*value); }
void decode(BF16 number, float* value) { *value = bf16_to_f32(number.value); }
void encode(const float* value, BF16& number) { number.value = f32_to_bf16(*value); }

template <class Block>
void decode_row(const void* row, float* values, int64_t elements) {
  const auto* bytes = static_cast<const std::byte*>(row);
  for (int64_t i = 0; i < elements / Block::kElements; ++i) {
    Block block;
    std::memcpy(&block, bytes + i * static_cast<int64_t>(sizeof(Block)), sizeof(Block));
    decode(block, values + i * Block::kElements);
  }
}

template <class Block>
void encode_row(const float* values, void* row, int64_t elements) {
  auto* bytes = static_cast<std::byte*>(row);
  for (int64_t i = 0; i < elements / Block::kElements; ++i) {
    Block block;
    encode(values + i * Block::kElements, block);
    std::memcpy(bytes + i * static_cast<int64_t>(sizeof(Block)), &block, sizeof(Block));
  }
}

template <class Block>
constexpr BlockFormat format(ElementType type) {
  return {type, &decode_row<Block>, &encode_row<Block>};
}

constexpr BlockFormat kFormats[] = {
    format<F32>(ElementType::kF32),
    format<F16>(ElementType::kF16),
    format<BF16>(ElementType::kBF16),
    format<BlockQ4_0>(ElementType::kQ4_0),
    format<BlockQ4_1>(ElementType::kQ4_1),
    format<BlockQ5_0>(ElementType::kQ5_0),
    format<BlockQ5_1>(ElementType::kQ5_1),
    format<BlockQ8_0>(ElementType::kQ8_0),
    format<BlockQ2_0>(ElementType::kQ2_0),
    format<BlockMXFP4>(ElementType::kMXFP4),
    format<BlockIQ4_NL>(ElementType::kIQ4_NL),
    format<BlockQ2_K>(ElementType::kQ2_K),
    format<BlockQ3_K>(ElementType::kQ3_K),
    format<BlockQ4_K>(ElementType::kQ4_K),
    format<BlockQ5_K>(ElementType::kQ5_K),
    format<BlockQ6_K>(ElementType::kQ6_K),
    format<BlockIQ4_XS>(ElementType::kIQ4_XS),
};

}  // namespace

std::span<const BlockFormat> block_formats() { return kFormats; }

const BlockFormat& block_format(ElementType type) {
  for (const BlockFormat& entry : kFormats) {
    if (entry.type == type) return entry;
  }
  throw std::invalid_argument("[block_format] " + std::string(name(type)) +
                              " holds no floating-point values");
}

}  // namespace tenon::quant
