#include <gtest/gtest.h>

#include "tenon/plan/planner_test_support.h"

namespace tenon::plan {
namespace {

TEST(Planner, ViewsAreNoSteps) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %split = Reshape(%x:0) {target=[0,-1,2,4], special_zero=true}
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %heads = Transpose(%split:0, %order:0)
    %seen = Sqrt(%heads:0)
    %r = Result(%seen:0) {name="out"})");
  EXPECT_EQ(steps(*plan), "reference seen");
  EXPECT_EQ(extents(step(*plan, "seen").parts[0].inputs[0]), "1,2,T,4");
}

TEST(Planner, AViewThatStridesCannotExpressIsCopied) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %split = Reshape(%x:0) {target=[0,-1,2,4], special_zero=true}
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %heads = Transpose(%split:0, %order:0)
    %merged = Reshape(%heads:0) {target=[1,1,2,-1]}
    %seen = Sqrt(%merged:0)
    %r = Result(%seen:0) {name="out"})");
  EXPECT_EQ(steps(*plan), "reference merged, reference seen");
  EXPECT_EQ(extents(step(*plan, "merged").parts[0].inputs[0]), "1,2,T,4");
}

TEST(Planner, ResultsOfAViewOrOfAnInputAreCopies) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %seen = Sqrt(%x:0)
    %flat = Reshape(%seen:0) {target=[-1,8]}
    %a = Result(%flat:0) {name="flat"}
    %e = Result(%seen:0) {name="seen"}
    %c = Result(%seen:0) {name="again"}
    %d = Result(%x:0) {name="input"})");
  EXPECT_EQ(steps(*plan), "reference seen, reference a, reference c, reference d");
  EXPECT_EQ(storage(*plan, step(*plan, "a").parts[0].inputs[0]).name, "seen");
  EXPECT_EQ(extents(step(*plan, "a").parts[0].outputs[0]), "T,8");
  EXPECT_EQ(storage(*plan, step(*plan, "d").parts[0].outputs[0]).name, "input");
}

TEST(Planner, WhatNoResultNeedsIsNoStep) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %seen = Sqrt(%x:0)
    %dead = MatMul(%x:0, %w:0) {transpose_b=true}
    %r = Result(%seen:0) {name="out"})");
  EXPECT_EQ(steps(*plan), "reference seen");
}

std::string attention(const std::string& mask) {
  return R"(
    symbol KV in [1, 32]
    %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
    %q = Parameter() {name="q", type=f32[1,4:head,T:token,8:head_size]}
    %k = Parameter() {name="k", type=f32[1,2:head,KV:position,8:head_size]}
    %v = Parameter() {name="v", type=f32[1,2:head,KV:position,8:head_size]}
    %bits = Parameter() {name="bits", type=f32[1,1,T:token,KV:position]}
    %positions = Parameter() {name="positions", type=i32[1,1,1,T:token]}
    %mask = Sqrt(%bits:0)
    %seen = Attention(%q:0, %k:0, %v:0, %mask:0, %positions:0) {mask=)" +
         mask + R"(}
    %r = Result(%seen:0) {name="out"})";
}

TEST(Planner, AMaskWhoseStructureIsKnownIsNeitherComputedNorBound) {
  const auto plan = plan_of(attention("causal"));
  EXPECT_EQ(steps(*plan), "reference seen");
  EXPECT_EQ(step(*plan, "seen").parts[0].inputs[3].storage, -1);
  EXPECT_FALSE(plan->find_input("bits")->read);
  EXPECT_TRUE(plan->find_input("positions")->read);
}

TEST(Planner, AMaskOfAnyFormIsRead) {
  const auto plan = plan_of(attention("explicit"));
  EXPECT_EQ(steps(*plan), "reference mask, reference seen");
  EXPECT_TRUE(plan->find_input("bits")->read);
}

}  // namespace
}  // namespace tenon::plan
