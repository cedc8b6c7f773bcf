#include "values.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tenon::oracle {
namespace {

uint64_t splitmix64(uint64_t& state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

std::vector<float> random_values(uint64_t seed, size_t count, float limit) {
  std::vector<float> values(count);
  for (float& value : values) {
    const auto draw = static_cast<int32_t>(splitmix64(seed) >> 40) - (1 << 23);  // 24 bits, centred
    value = std::ldexp(limit * static_cast<float>(draw), -23);
  }
  return values;
}

std::vector<float> activation_values() {
  std::vector<float> values(770);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = std::min(6.0f, -6.0f + static_cast<float>(i) / 64.0f);
  }
  return values;
}

std::vector<int32_t> permutation(uint64_t seed, int32_t count) {
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[splitmix64(seed) % i]);
  return order;
}

}  // namespace tenon::oracle
