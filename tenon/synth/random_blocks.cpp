#include "tenon/synth/random_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tenon/quant/block_format.h"
#include "tenon/quant/f16.h"
#include "tenon/quant/q4_0.h"
#include "tenon/quant/q4_1.h"
#include "tenon/quant/q4_k.h"
#include "tenon/quant/q5_0.h"
#include "tenon/quant/q5_1.h"
#include "tenon/quant/q5_k.h"
#include "tenon/quant/q6_k.h"
#include "tenon/quant/q8_0.h"

namespace tenon::synth {

namespace {

// Standard deviation of one of the whole numbers 0 … levels - 1.
double deviation_of(int levels) { return std::sqrt((static_cast<double>(levels) * levels - 1) / 12); }

uint16_t f16(double value) { return quant::f32_to_f16(static_cast<float>(value)); }

// What a block's scale is drawn with, beside the quants.
struct Draw {
  double deviation;  // of the block's values
  bool negative;     // half the blocks: then a mean of the quants beside zero comes to nothing
};

double signed_scale(Draw draw, double deviation) {
  return (draw.negative ? -draw.deviation : draw.deviation) / deviation;
}

void finish(quant::BlockQ4_0& block, Draw draw) { block.scale = f16(signed_scale(draw, deviation_of(16))); }
void finish(quant::BlockQ5_0& block, Draw draw) { block.scale = f16(signed_scale(draw, deviation_of(32))); }

template <class Block>
void finish_with_minimum(Block& block, Draw draw, int levels) {
  const double scale = draw.deviation / deviation_of(levels);
  block.scale = f16(scale);
  block.minimum = f16((1 - levels) / 2.0 * scale);
}

void finish(quant::BlockQ4_1& block, Draw draw) { finish_with_minimum(block, draw, 16); }
void finish(quant::BlockQ5_1& block, Draw draw) { finish_with_minimum(block, draw, 32); }

void finish(quant::BlockQ8_0& block, Draw draw) {
  for (int8_t& value : block.quants) value = std::max<int8_t>(value, -127);  // as every quantiser gives them
  block.scale = f16(signed_scale(draw, deviation_of(255)));
}

// Scales of 32 … 63, of which each group's minimum is an equal one: then mean and minimum come to nothing.
template <class Block>
void finish_k(Block& block, Draw draw, int levels) {
  constexpr double kMeanSquare = 2341.5;  // of 32 … 63
  const double scale = draw.deviation / (deviation_of(levels) * std::sqrt(kMeanSquare));
  block.scale = f16(scale);
  block.minimum = f16((levels - 1) / 2.0 * scale);
  uint8_t* const packed = block.packed_scales;
  for (int i = 0; i < 4; ++i) {
    packed[i] |= 0xA0;  // bit 5 of the first four, and of the last four
    packed[4 + i] = packed[i];
    packed[8 + i] = static_cast<uint8_t>((packed[8 + i] & 15) * 17);
  }
}

void finish(quant::BlockQ4_K& block, Draw draw) { finish_k(block, draw, 16); }
void finish(quant::BlockQ5_K& block, Draw draw) { finish_k(block, draw, 32); }

// Scales of 64 … 127 and of both signs.
void finish(quant::BlockQ6_K& block, Draw draw) {
  constexpr double kMeanSquare = 9461.5;  // of 64 … 127
  for (int8_t& scale : block.group_scale) {
    const int magnitude = 64 | (scale & 63);
    scale = static_cast<int8_t>(scale < 0 ? -magnitude : magnitude);
  }
  block.scale = f16(draw.deviation / (deviation_of(64) * std::sqrt(kMeanSquare)));
}

template <class Block>
void make_blocks(double deviation, Words words, uint64_t first, std::span<std::byte> data) {
  constexpr uint64_t kWords = (sizeof(Block) + 7) / 8 + 1;
  std::array<uint64_t, kWords> drawn;
  for (size_t at = 0; at < data.size(); at += sizeof(Block), ++first) {
    for (uint64_t i = 0; i < kWords; ++i) drawn[i] = words[first * kWords + i];
    Block block;
    std::memcpy(&block, drawn.data(), sizeof block);
    const uint64_t word = drawn.back();
    const double wobble = 0.75 + 0.5 * static_cast<double>(word >> 40) * 0x1p-24;
    finish(block, {deviation * wobble, (word & 1) != 0});
    std::memcpy(data.data() + at, &block, sizeof block);
  }
}

template <ElementType type>
void make_numbers(double deviation, Words words, uint64_t first, std::span<std::byte> data) {
  const quant::BlockFormat& format = quant::block_format(type);
  const auto bytes = static_cast<size_t>(info(type).block_bytes);
  const double bound = deviation * std::sqrt(3.0);
  std::array<float, 256> values;
  for (size_t at = 0; at < data.size(); at += values.size() * bytes) {
    const size_t count = std::min(values.size(), (data.size() - at) / bytes);
    for (size_t i = 0; i < count; ++i) values[i] = uniform(words, first++, -bound, bound);
    format.encode_row(values.data(), data.data() + at, static_cast<int64_t>(count));
  }
}

struct Maker {
  ElementType type;
  void (*make)(double deviation, Words words, uint64_t first, std::span<std::byte> data);
};

constexpr Maker kMakers[] = {
    {ElementType::kF32, make_numbers<ElementType::kF32>},
    {ElementType::kF16, make_numbers<ElementType::kF16>},
    {ElementType::kBF16, make_numbers<ElementType::kBF16>},
    {ElementType::kQ4_0, make_blocks<quant::BlockQ4_0>},
    {ElementType::kQ4_1, make_blocks<quant::BlockQ4_1>},
    {ElementType::kQ5_0, make_blocks<quant::BlockQ5_0>},
    {ElementType::kQ5_1, make_blocks<quant::BlockQ5_1>},
    {ElementType::kQ8_0, make_blocks<quant::BlockQ8_0>},
    {ElementType::kQ4_K, make_blocks<quant::BlockQ4_K>},
    {ElementType::kQ5_K, make_blocks<quant::BlockQ5_K>},
    {ElementType::kQ6_K, make_blocks<quant::BlockQ6_K>},
};

const Maker* find_maker(ElementType type) {
  const auto* const found = std::ranges::find(kMakers, type, &Maker::type);
  return found == std::end(kMakers) ? nullptr : found;
}

}  // namespace

uint64_t Words::operator[](uint64_t index) const {
  uint64_t word = key_ + (index + 1) * 0x9e3779b97f4a7c15u;
  word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
  word = (word ^ word >> 27) * 0x94d049bb133111ebu;
  return word ^ word >> 31;
}

bool has_random_blocks(ElementType type) { return find_maker(type) != nullptr; }

void random_blocks(ElementType type, double deviation, Words words, uint64_t first_block,
                   std::span<std::byte> data) {
  const Maker* const maker = find_maker(type);
  if (maker == nullptr) {
    throw std::invalid_argument("[synth::random_blocks] no weights of type " + std::string(name(type)));
  }
  maker->make(deviation, words, first_block, data);
}

float uniform(Words words, uint64_t index, double low, double high) {
  return static_cast<float>(low + (high - low) * static_cast<double>(words[index] >> 11) * 0x1p-53);
}

}  // namespace tenon::synth
