// Kernels of a fixed order: a token's results are the same bits however many share its calls.
#include <gtest/gtest.h>

#include "tenon/cpu/matmul_test_support.h"

namespace tenon::cpu {
namespace {

class FixedOrderOn : public EachIsa {
 protected:
  void SetUp() override {
    EachIsa::SetUp();
    fixed = select_kernels(SumOrder::kFixed).value();
    ASSERT_EQ(fixed->isa, GetParam()->isa);
    ASSERT_EQ(fixed->order, SumOrder::kFixed);
  }
  const KernelTable* fixed = nullptr;
};
TENON_EACH_ISA(FixedOrderOn);

// Of one form of float, of bytes with and without a zero and minima, and of a format with groups of 16.
constexpr ElementType kTypes[] = {ElementType::kF32,  ElementType::kBF16, ElementType::kQ4_0,
                                  ElementType::kQ4_1, ElementType::kQ8_0, ElementType::kQ4_K,
                                  ElementType::kQ6_K};

TEST_P(FixedOrderOn, ProductsDoNotDependOnTheTokensBeside) {
  constexpr int64_t kTokens = 40;
  for (const ElementType type : kTypes) {
    SCOPED_TRACE(name(type));
    const Weight weight(type, 37, 768, 3);
    const std::vector<float> x = random_values(kTokens * weight.depth, 4);
    const std::vector<float> all = product(*fixed, weight, x, kTokens, 2);
    for (const int64_t tokens : {1, 2, 3, 4, 7, 8, 9, 12, 13, 17}) {
      for (const int workers : {1, 3}) {
        EXPECT_EQ(product(*fixed, weight, x, tokens, workers),
                  std::vector<float>(all.begin(), all.begin() + tokens * weight.rows))
            << tokens << " tokens, " << workers << " workers";
      }
    }
    // For many tokens the order is that of the fastest kernels.
    EXPECT_EQ(product(*kernels, weight, x, kTokens, 1), all);
  }
}

}  // namespace
}  // namespace tenon::cpu
