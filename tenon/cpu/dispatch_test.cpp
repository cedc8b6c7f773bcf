#include "tenon/cpu/dispatch.h"

#include <gtest/gtest.h>

#include "tenon/cpu/test_support.h"

namespace tenon::cpu {
namespace {

TEST_P(EachIsa, CanBeForced) { EXPECT_EQ(kernels, GetParam()); }
TENON_EACH_ISA(EachIsa);

TEST(Dispatch, TakesTheBestWhenNothingIsForced) {
  unsetenv("TENON_CPU_ISA");
  ASSERT_FALSE(supported_kernels().empty());
  EXPECT_EQ(select_kernels().value(), supported_kernels().front());
}

TEST(Dispatch, RefusesWhatTheMachineLacks) {
  setenv("TENON_CPU_ISA", "neon", 1);
  const Result<const KernelTable*> refused = select_kernels();
  unsetenv("TENON_CPU_ISA");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().where, "TENON_CPU_ISA");
  for (const KernelTable* kernels : supported_kernels()) {
    EXPECT_NE(refused.error().wanted.find(kernels->isa), std::string::npos);
  }
}

}  // namespace
}  // namespace tenon::cpu
