#include <cmath>

#include "tenon/cpu/attention_test_support.h"

namespace tenon::cpu {
namespace {

class HalfSumsOn : public EachIsa {};
TENON_EACH_ISA(HalfSumsOn);

// Where sums of f16 are allowed, an error of some units of f16's last place, 2^-11: of the scores, which are
// of size 1 here, and of the weighted values.
TEST_P(HalfSumsOn, AreNearTheExactOnes) {
  const auto check = [&](Problem& problem) {
    const std::vector<float> exact = problem.run(*kernels, 2);
    problem.check(exact);
    problem.job.half_sums = true;
    const std::vector<float> found = problem.run(*kernels, 2);
    EXPECT_LT(nmse(exact, found), 4e-6);
    EXPECT_EQ(found, problem.run(*kernels, 3));
  };
  for (const int64_t head_size : {2, 40, 64, 80, 96, 128, 200, 256, 512}) {
    SCOPED_TRACE(head_size);
    Problem problem(20, 170, 6, 2, head_size);
    check(problem);
  }
  for (const int64_t window : {0, 1, 70}) {
    SCOPED_TRACE(window);
    Problem problem(75, 400, 14, 2, 64, ElementType::kF16);
    problem.job.window = window;
    check(problem);
  }
}

// Queries beyond f16's range beside keys so small that no product is.
TEST_P(HalfSumsOn, TakeQueriesOfAnySize) {
  Problem problem(20, 200, 4, 2, 64, ElementType::kF32);
  const float tiny = 6e-8f;  // of the size of f16's smallest number
  for (int64_t row = 0; row < 200 * 2; ++row) {
    for (int64_t i = 0; i < 64; ++i) {
      const int64_t at = row / 2 * problem.k.token_stride + row % 2 * problem.k.head_stride + 2 * i;
      quant::block_format(ElementType::kF16).encode_row(&tiny, &problem.k.bytes[static_cast<size_t>(at)], 1);
    }
  }
  auto* const q = reinterpret_cast<float*>(problem.q.bytes.data());
  q[3] = 2e6f;
  problem.job.half_sums = true;
  const std::vector<float> found = problem.run(*kernels, 2);
  problem.job.half_sums = false;
  EXPECT_LT(nmse(problem.run(*kernels, 2), found), 4e-6);
}

// Keys and values beside which sums would leave f16's range: no less exact than without.
TEST_P(HalfSumsOn, AvoidOverflow) {
  for (const bool large_keys : {true, false}) {
    Problem problem(20, 200, 4, 2, 64);
    Rows& rows = large_keys ? problem.k : problem.v;
    for (int64_t key = 0; key < 200; key += 7) {  // one element of some rows, as stored and as compared
      const int64_t head = key % 2, at = key * rows.token_stride + head * rows.head_stride + 6;
      const float large = key % 3 == 0 ? 60000.0f : -60000.0f;
      quant::block_format(ElementType::kF16).encode_row(&large, &rows.bytes[static_cast<size_t>(at)], 1);
      rows.values[static_cast<size_t>((key * 2 + head) * 64 + 3)] = large;
    }
    problem.job.half_sums = true;
    const std::vector<float> found = problem.run(*kernels, 2);
    problem.job.half_sums = false;
    EXPECT_LT(nmse(problem.run(*kernels, 2), found), 1e-9);
  }
}

}  // namespace
}  // namespace tenon::cpu
