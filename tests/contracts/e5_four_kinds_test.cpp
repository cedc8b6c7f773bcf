// E5: ports, numbers, layout and lowering path are four kinds of test; none stands for another.
#include <gtest/gtest.h>

#include "tests/conform/runtimes.h"
#include "tests/contracts/evidence.h"
#include "tests/contracts/state_forms.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

const test::Breaker left_over("E5_left_over_input", "an input that nothing reads stays");
const test::Breaker halved("E5_halved_scores", "the last layer's attention has half its scale");
const test::Breaker swapped("E5_swapped_halves", "queries and keys keep the halves of their heads swapped");
const test::Breaker apart("E5_attention_apart", "attention is no fused step, or two");
const test::Breaker numbers_alone("E5_numbers_alone", "the check of numbers stands for all kinds");

constexpr Kind kKinds[] = {Kind::kPorts, Kind::kNumbers, Kind::kLayout, Kind::kLowering};
constexpr Owner kOwners[] = {Owner::kStateless, Owner::kStateful, Owner::kGenai, Owner::kPaged,
                             Owner::kInPlace};
// One of each family whose layers all have caches of their own; the others' are S16's, E3's and L14's.
constexpr const char* kFamilies[] = {"llama-gqa4x2", "qwen2-bias-gqa", "qwen3-gqa",     "qwen3moe-gqa",
                                     "gemma3-gqa",   "gpt-oss-gqa",    "phi3-short-mqa"};

class E5_Kinds : public testing::TestWithParam<Owner> {
 protected:
  // That the kind finds nothing wrong, in any family.
  static void expect_holds(Kind kind, const test::Breaker& fault, bool everywhere) {
    for (const char* const name : kFamilies) {
      SCOPED_TRACE(name);
      const Subject subject(fixtures::fixture(name), GetParam(),
                            fault.active() ? static_cast<int>(kind) : kNoFault);
      if (!everywhere) {
        EXPECT_EQ(subject.check(kind, "ref"), "");
        continue;
      }
      on_every_runtime([&](const std::string& runtime) { EXPECT_EQ(subject.check(kind, runtime), ""); });
    }
  }
};

TEST_P(E5_Kinds, PortsAreThoseOfTheOwner) { expect_holds(Kind::kPorts, left_over, false); }
TEST_P(E5_Kinds, NumbersAreLlamaCpps) { expect_holds(Kind::kNumbers, halved, true); }
TEST_P(E5_Kinds, LayoutHoldsEachRowInItsPlace) { expect_holds(Kind::kLayout, swapped, true); }
TEST_P(E5_Kinds, LoweringPathHasOneFusedAttentionForEachLayer) {
  expect_holds(Kind::kLowering, apart, false);
}

TEST_P(E5_Kinds, EachAloneSeesItsFault) {
  for (const Kind fault : kKinds) {
    const Subject subject(fixtures::fixture("llama-gqa4x2"), GetParam(), static_cast<int>(fault));
    for (const Kind kind : kKinds) {
      SCOPED_TRACE(std::string("the fault of ") + kKindNames[static_cast<size_t>(fault)] +
                   " by the check of " + kKindNames[static_cast<size_t>(kind)]);
      const std::string found = subject.check(numbers_alone.active() ? Kind::kNumbers : kind, "ref");
      EXPECT_EQ(found.empty(), kind != fault) << found;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Owners, E5_Kinds, testing::ValuesIn(kOwners),
                         [](const auto& owner) { return kOwnerNames[static_cast<size_t>(owner.param)]; });

}  // namespace
}  // namespace tenon::contracts
