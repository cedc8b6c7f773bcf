#include "tenon/plan/prologue.h"

#include <gtest/gtest.h>

#include "tenon/plan/planner_test_support.h"

namespace tenon::plan {
namespace {

bool has_two_parts_at_most(const Step& step) { return step.parts.size() <= 2; }

const Target& target_with_prologues() {
  static const Target target{"t",
                             {{.id = "product",
                               .pattern = "Add(MatMul(x, w:Constant), b:Constant)",
                               .group = "product",
                               .prologue = "norm",
                               .takes_prologue = has_two_parts_at_most},
                              {.id = "product",
                               .pattern = "MatMul(x, w:Constant)",
                               .group = "product",
                               .prologue = "norm",
                               .takes_prologue = has_two_parts_at_most},
                              {.id = "norm", .pattern = "Multiply(RMSNorm(x), g:Constant)"},
                              {.id = "any", .pattern = "*"}}};
  return target;
}

constexpr const char* kNormedInput = R"(
    %g = Constant() {type=f32[8], weight="g"}
    %v = Constant() {type=f32[16,8], weight="v"}
    %bare = RMSNorm(%x:0) {epsilon=0.01}
    %norm = Multiply(%bare:0, %g:0)
    %product = MatMul(%norm:0, %w:0) {transpose_b=true}
    %sum = Add(%product:0, %b:0)
    %first = Result(%sum:0) {name="first"})";

TEST(Prologue, BecomesAPartOfTheOneStepThatReadsIt) {
  const auto plan = plan_of(std::string(kInputs) + kNormedInput + R"(
    %other = MatMul(%norm:0, %v:0) {transpose_b=true}
    %second = Result(%other:0) {name="second"})",
                            {}, target_with_prologues());
  EXPECT_EQ(steps(*plan), "product sum");
  const Step& step = plan->lists[0].steps[0];
  EXPECT_EQ(step.prologue, "norm");
  EXPECT_EQ(step.prologue_inputs, 1u);
  ASSERT_EQ(step.parts.size(), 2u);
  for (const StepPart& part : step.parts) EXPECT_EQ(storage(*plan, part.inputs[0]).name, "x");
  ASSERT_EQ(step.parts[0].inputs.size(), 4u);  // x, w, b and then the norm's weight
  EXPECT_EQ(storage(*plan, step.parts[0].inputs[2]).constant->weight, "b");
  EXPECT_EQ(storage(*plan, step.parts[0].inputs[3]).constant->weight, "g");
  EXPECT_EQ(step.parts[1].inputs.size(), 2u);
  EXPECT_EQ(plan->arena_bytes, 0u);
  EXPECT_NE(print(*plan).find("product  sum  after norm"), std::string::npos);
}

TEST(Prologue, StaysAStepWhereAnotherReadsItsValue) {
  const auto plan = plan_of(std::string(kInputs) + kNormedInput + R"(
    %root = Sqrt(%norm:0)
    %second = Result(%root:0) {name="second"})",
                            {}, target_with_prologues());
  EXPECT_EQ(steps(*plan), "norm norm, product sum, any root");
}

TEST(Prologue, StaysAStepWhereItsValueIsAResult) {
  const auto plan = plan_of(std::string(kInputs) + kNormedInput + R"(
    %second = Result(%norm:0) {name="second"})",
                            {}, target_with_prologues());
  EXPECT_EQ(steps(*plan), "norm norm, product sum");
}

TEST(Prologue, StaysAStepWhereAViewOfItIsRead) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %g = Constant() {type=f32[8], weight="g"}
    %bare = RMSNorm(%x:0)
    %norm = Multiply(%bare:0, %g:0)
    %lengths = Constant() {type=i64[2], values=[4,4]}
    %halves = VariadicSplit(%norm:0, %lengths:0) {axis=-1}
    %k = Constant() {type=f32[3,4], weight="k"}
    %product = MatMul(%halves:1, %k:0) {transpose_b=true}
    %first = Result(%product:0) {name="first"})",
                            {}, target_with_prologues());
  EXPECT_EQ(steps(*plan), "norm norm, product product");
}

TEST(Prologue, StaysAStepWhereTheReaderDoesNotTakeIt) {
  const auto plan = plan_of(std::string(kInputs) + kNormedInput + R"(
    %other = MatMul(%norm:0, %v:0) {transpose_b=true}
    %more = MatMul(%norm:0, %v:0) {transpose_b=true}
    %second = Result(%other:0) {name="second"}
    %third = Result(%more:0) {name="third"})",
                            {}, target_with_prologues());
  EXPECT_EQ(steps(*plan), "norm norm, product sum");
  EXPECT_EQ(plan->lists[0].steps[1].prologue, "");
}

}  // namespace
}  // namespace tenon::plan
