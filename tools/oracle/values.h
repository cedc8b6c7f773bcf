// Deterministic input values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon::oracle {

// `count` values, uniform in [-limit, limit) with 24 bits each, drawn by splitmix64 from `seed`.
std::vector<float> random_values(uint64_t seed, size_t count, float limit = 2.0f);

// 770 = 110 x 7 values over [-6, 6] in steps of 1/64 (the last is repeated). All are exact in f16: ggml looks
// some activations up in tables over f16, and no operand shall be rounded on the way there.
std::vector<float> activation_values();

// 0 … count-1 in a random order.
std::vector<int32_t> permutation(uint64_t seed, int32_t count);

}  // namespace tenon::oracle
