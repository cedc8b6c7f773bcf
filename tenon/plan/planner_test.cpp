#include <gtest/gtest.h>

#include "tenon/plan/planner_test_support.h"

namespace tenon::plan {
namespace {

std::string ranges(const Plan& plan) {
  std::string out;
  for (const StepList& list : plan.lists)
    out += std::to_string(list.tokens.min) + "-" + std::to_string(list.tokens.max) + " ";
  return out;
}

TEST(Planner, OneListForEachClassOfTokenCounts) {
  const std::string body = std::string(kInputs) + R"(
    %gated = SwiGLU(%x:0, %x:0)
    %r = Result(%gated:0) {name="out"})";
  const auto with_tokens = [&](int64_t most) {
    PlanOptions options;
    options.symbols["T"] = {1, most};
    return plan_of(body, options);
  };
  EXPECT_EQ(ranges(*with_tokens(1)), "1-1 ");
  EXPECT_EQ(ranges(*with_tokens(5)), "1-1 2-5 ");
  EXPECT_EQ(ranges(*with_tokens(8)), "1-1 2-8 ");
  const auto plan = with_tokens(512);
  EXPECT_EQ(ranges(*plan), "1-1 2-8 9-512 ");
  EXPECT_EQ(plan->list_for(8), &plan->lists[1]);
  EXPECT_EQ(plan->list_for(9), &plan->lists[2]);
  EXPECT_EQ(plan->list_for(513), nullptr);
  EXPECT_EQ(plan->list_for(0), nullptr);
  EXPECT_EQ(steps(*plan, 1), "one_token gated");
  EXPECT_EQ(steps(*plan, 2), "reference gated");
}

TEST(Planner, MemoryIsPlannedForTheLargestRun) {
  const std::string body = std::string(kInputs) + R"(
    %a = Sqrt(%x:0)
    %p = MatMul(%a:0, %w:0) {transpose_b=true}
    %r = Result(%p:0) {name="out"})";
  PlanOptions options;
  options.symbols["T"] = {1, 100};
  options.workers = 3;
  const auto plan = plan_of(body, options);
  EXPECT_EQ(plan->arena_bytes, 100u * 8 * 4);
  EXPECT_EQ(plan->scratch_bytes, 100u * 3 * 4);
  EXPECT_EQ(plan->lists[0].steps[1].scratch_bytes, 1u * 3 * 4);
}

TEST(Planner, AModelWithoutTokensHasOneList) {
  const auto plan = plan_of(R"(
    %x = Parameter() {name="x", type=f32[3,8]}
    %seen = Sqrt(%x:0)
    %r = Result(%seen:0) {name="out"})");
  EXPECT_EQ(plan->token_symbol, "");
  EXPECT_EQ(plan->lists.size(), 1u);
}

TEST(Planner, SymbolsWithoutABoundAreErrorsByName) {
  PlanOptions options;
  options.symbols["T"] = {1, INT64_MAX};
  EXPECT_NE(plan_error(std::string(kInputs) + "%r = Result(%x:0) {name=\"out\"}", options).find("symbol T"),
            std::string::npos);
  // A tensor of the arena whose size is open.
  const std::string open = R"(
    %x = Parameter() {name="x", type=f32[N,8]}
    %seen = Sqrt(%x:0)
    %again = Sqrt(%seen:0)
    %r = Result(%again:0) {name="out"})";
  const std::string message = plan_error(open);
  EXPECT_NE(message.find("seen"), std::string::npos) << message;
  EXPECT_NE(message.find("32*N"), std::string::npos) << message;
  options.symbols["N"] = {1, 7};
  options.symbols["T"] = {1, 4};
  EXPECT_EQ(plan_error(open, options), "");
}

// Scratch grows with what a step reads, also where nothing of that lies in the arena.
TEST(Planner, ScratchNeedsABoundOfWhatAStepReads) {
  const std::string body = R"(
    %x = Parameter() {name="x", type=f32[1,1,N,8]}
    %w = Constant() {type=f32[16,8], weight="w"}
    %p = MatMul(%x:0, %w:0) {transpose_b=true}
    %r = Result(%p:0) {name="out"})";
  const std::string message = plan_error(body);
  EXPECT_NE(message.find("tensor 'x'"), std::string::npos) << message;
  EXPECT_NE(message.find("32*N bytes"), std::string::npos) << message;
  PlanOptions options;
  options.symbols["N"] = {1, 64};
  EXPECT_EQ(plan_of(body, options)->scratch_bytes, 64u * 4);
}

TEST(Planner, SetRowsIsRefusedByNameWithTheRemedy) {
  const std::string message = plan_error(R"(
    %cache = Parameter() {name="cache_k_l0", type=f16[1,8,2,4], role=cache}
    %rows = Parameter() {name="rows", type=f16[1,3,2,4]}
    %index = Parameter() {name="index", type=i64[1,1,1,3]}
    %written = SetRows(%rows:0, %index:0, %cache:0)
    %r = Result(%written:0) {name="cache_k_l0"})");
  EXPECT_NE(message.find("SetRows 'written'"), std::string::npos) << message;
  EXPECT_NE(message.find("lowering of SetRows"), std::string::npos) << message;
}

TEST(Planner, AnOpThatNoRowTakesIsRefusedByName) {
  const Target bare{"bare", {{.id = "product", .pattern = "MatMul(x, w:Constant)"}}};
  const auto plan = try_plan(std::string(kInputs) + R"(
    %seen = Sqrt(%x:0)
    %r = Result(%seen:0) {name="out"})",
                             {}, bare);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message().find("Sqrt 'seen': wanted an op that target bare runs"), std::string::npos)
      << plan.error().message();
}

}  // namespace
}  // namespace tenon::plan
