// capture_quant FOLDER: what ggml's reference quantisers and decoders make of fixed values and of random
// blocks, one file to a type. Tensors: `values` and the `blocks` and `decoded` that come of them;
// `random_blocks`, whose scales are finite but otherwise any, and `random_decoded`. Blocks are raw bytes, as
// I8.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "array.h"
#include "ggml.h"
#include "gguf_file.h"

namespace {

using tenon::oracle::Array;

constexpr size_t kRun = 256;  // values of one kind; a K block, eight small ones
constexpr int64_t kRandomElements = 16 * 256;

struct QuantType {
  ggml_type type;
  const char* file;
  std::vector<size_t> f16_offsets;  // of the scales in a block
};

const QuantType kTypes[] = {
    {GGML_TYPE_F16, "f16", {0}},       {GGML_TYPE_BF16, "bf16", {}},       {GGML_TYPE_Q4_0, "q4_0", {0}},
    {GGML_TYPE_Q4_1, "q4_1", {0, 2}},  {GGML_TYPE_Q5_0, "q5_0", {0}},      {GGML_TYPE_Q5_1, "q5_1", {0, 2}},
    {GGML_TYPE_Q8_0, "q8_0", {0}},     {GGML_TYPE_Q2_0, "q2_0", {0}},      {GGML_TYPE_MXFP4, "mxfp4", {}},
    {GGML_TYPE_IQ4_NL, "iq4_nl", {0}}, {GGML_TYPE_Q2_K, "q2_k", {80, 82}}, {GGML_TYPE_Q3_K, "q3_k", {108}},
    {GGML_TYPE_Q4_K, "q4_k", {0, 2}},  {GGML_TYPE_Q5_K, "q5_k", {0, 2}},   {GGML_TYPE_Q6_K, "q6_k", {208}},
    {GGML_TYPE_IQ4_XS, "iq4_xs", {0}},
};

// Kinds of rows that a quantiser treats differently: signs, ties, constants, outliers, scales at both ends of
// f16.
std::vector<float> values() {
  std::mt19937 random(20240607);  // its numbers are fixed by the standard, those of the distributions are not
  const auto uniform = [&] { return static_cast<float>(random() >> 8) * 0x1p-24f; };
  const auto bell = [&] { return uniform() + uniform() + uniform() + uniform() - 2.0f; };
  std::vector<float> out;
  const auto run = [&](auto&& value) {
    for (size_t i = 0; i < kRun; ++i) out.push_back(value(static_cast<int>(i)));
  };
  run([](int) { return 0.0f; });
  run([](int) { return -0.0f; });
  run([](int) { return 0.375f; });
  run([](int) { return -3.0f; });
  run([&](int) { return bell(); });
  run([&](int) { return bell() * 0.02f; });
  run([&](int) { return uniform(); });
  run([&](int) { return -uniform(); });
  run([&](int) { return 5.0f + 0.01f * uniform(); });
  run([](int i) { return i % 2 == 0 ? 1.0f : -1.0f; });               // a tie for the largest magnitude
  run([](int i) { return static_cast<float>(i % 32 - 16) * 0.5f; });  // halves between levels
  run([](int i) { return static_cast<float>(i % 32) * 0.25f; });      // the same, from 0 on
  run([](int i) { return i % 32 == 7 ? 2.5f : 0.0f; });               // one value in a group
  run([&](int i) { return i % 64 == 3 ? 60.0f : 0.1f * bell(); });    // outliers
  run([&](int) { return bell() * 6.0e4f / 2.0f; });                   // near the largest f16
  run([&](int) { return bell() * 1e-4f; });                           // subnormal scales
  run([&](int) { return bell() * 1e-6f; });                           // scales of a few steps, or of none
  run([&](int) { return bell() * 1e-17f; });                          // scales that vanish
  run([&](int i) {
    return bell() * std::exp2(static_cast<float>(i / 32 * 2 - 8));
  });                                                           // groups of unlike scale
  run([&](int i) { return i / 32 % 2 == 0 ? 0.0f : bell(); });  // some groups empty
  return out;
}

// The quantiser leaves the quants of an IQ4_NL block of negligible values as its memory was.
void clear_unset_quants(const std::vector<float>& values, std::vector<std::byte>& blocks) {
  constexpr float kNegligible = 1e-15f;
  constexpr size_t kScaleBytes = 2;
  const size_t block_bytes = ggml_type_size(GGML_TYPE_IQ4_NL);
  const auto elements = static_cast<size_t>(ggml_blck_size(GGML_TYPE_IQ4_NL));
  for (size_t block = 0; block < values.size() / elements; ++block) {
    float largest = 0.0f;
    for (size_t i = 0; i < elements; ++i)
      largest = std::max(largest, std::fabs(values[block * elements + i]));
    if (largest < kNegligible)
      std::memset(&blocks[block * block_bytes + kScaleBytes], 0, block_bytes - kScaleBytes);
  }
}

Array blocks_of(const QuantType& type, const std::vector<float>& values) {
  const auto count = static_cast<int64_t>(values.size());
  const size_t bytes = ggml_row_size(type.type, count);
  Array out{GGML_TYPE_I8, {static_cast<int64_t>(bytes)}, std::vector<std::byte>(bytes)};
  ggml_get_type_traits(type.type)->from_float_ref(values.data(), out.bytes.data(), count);
  if (type.type == GGML_TYPE_IQ4_NL) clear_unset_quants(values, out.bytes);
  return out;
}

Array random_blocks(const QuantType& type) {
  const size_t bytes = ggml_row_size(type.type, kRandomElements);
  Array out{GGML_TYPE_I8, {static_cast<int64_t>(bytes)}, std::vector<std::byte>(bytes)};
  std::mt19937 random(7);
  for (std::byte& byte : out.bytes) byte = static_cast<std::byte>(random() >> 24);
  const auto finite = [](uint8_t& high) {  // an exponent of all ones loses its lowest bit
    if ((high & 0x7c) == 0x7c) high &= 0xfb;
  };
  for (size_t block = 0; block < bytes; block += ggml_type_size(type.type)) {
    for (const size_t offset : type.f16_offsets)
      finite(reinterpret_cast<uint8_t&>(out.bytes[block + offset + 1]));
    if (type.type == GGML_TYPE_BF16) reinterpret_cast<uint8_t&>(out.bytes[block + 1]) &= 0xbf;
  }
  return out;
}

Array decoded(const QuantType& type, const Array& blocks) {
  const int64_t count =
      static_cast<int64_t>(blocks.bytes.size() / ggml_type_size(type.type)) * ggml_blck_size(type.type);
  Array out{GGML_TYPE_F32, {count}, std::vector<std::byte>(static_cast<size_t>(count) * sizeof(float))};
  ggml_get_type_traits(type.type)->to_float(blocks.bytes.data(), reinterpret_cast<float*>(out.bytes.data()),
                                            count);
  return out;
}

void capture(const std::string& folder, const QuantType& type) {
  const std::vector<float> input = values();
  tenon::oracle::GgufFile file("capture_quant tests/golden/quant");
  Array blocks = blocks_of(type, input), random = random_blocks(type);
  file.add("values", tenon::oracle::make_array(GGML_TYPE_F32, {static_cast<int64_t>(input.size())}, input));
  file.add("decoded", decoded(type, blocks));
  file.add("blocks", std::move(blocks));
  file.add("random_decoded", decoded(type, random));
  file.add("random_blocks", std::move(random));
  file.write(folder + "/" + type.file + ".gguf");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: capture_quant FOLDER\n");
    return 2;
  }
  try {
    for (const QuantType& type : kTypes) capture(argv[1], type);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "capture_quant: %s\n", error.what());
    return 1;
  }
  return 0;
}
