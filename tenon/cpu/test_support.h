// What the kernel tests share: every instruction set of this machine, chosen the way a user forces it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "tenon/base/thread_pool.h"
#include "tenon/cpu/dispatch.h"

namespace tenon::cpu {

// Forces the instruction set of the parameter by TENON_CPU_ISA, and fails where that does not work.
class EachIsa : public ::testing::TestWithParam<const KernelTable*> {
 protected:
  void SetUp() override {
    setenv("TENON_CPU_ISA", std::string(GetParam()->isa).c_str(), 1);
    kernels = select_kernels().value();
    ASSERT_EQ(kernels->isa, GetParam()->isa);
  }
  void TearDown() override { unsetenv("TENON_CPU_ISA"); }

  const KernelTable* kernels = nullptr;
};

#define TENON_EACH_ISA(Suite)                                                                           \
  INSTANTIATE_TEST_SUITE_P(Isa, Suite,                                                                  \
                           ::testing::ValuesIn(supported_kernels().begin(), supported_kernels().end()), \
                           [](const auto& test) { return std::string(test.param->isa); })

// Memory of exactly `bytes` at a cache line; under AddressSanitizer a byte beyond is a failure.
class Workspace {
 public:
  explicit Workspace(size_t bytes) : data_(static_cast<std::byte*>(::operator new(bytes, kLine))) {}
  ~Workspace() { ::operator delete(data_, kLine); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  std::byte* data() const { return data_; }

 private:
  static constexpr std::align_val_t kLine{64};
  std::byte* data_;
};

// `count` values of a bell shape, of the size of normalised activations.
inline std::vector<float> random_values(int64_t count, unsigned seed, float scale = 1.0f) {
  std::mt19937 random(seed);
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) {
    float sum = 0.0f;
    for (int i = 0; i < 4; ++i) sum += static_cast<float>(random() >> 8) * 0x1p-24f;
    x = (sum - 2.0f) * 1.732f * scale;
  }
  return out;
}

// Σ (found - wanted)² / Σ wanted².
template <class Wanted>
double nmse(const std::vector<Wanted>& wanted, const std::vector<float>& found) {
  double error = 0.0, power = 0.0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double difference = static_cast<double>(wanted[i]) - static_cast<double>(found[i]);
    error += difference * difference;
    power += static_cast<double>(wanted[i]) * static_cast<double>(wanted[i]);
  }
  return error / power;
}

}  // namespace tenon::cpu
