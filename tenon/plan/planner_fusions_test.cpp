#include <gtest/gtest.h>

#include "tenon/op/rope.h"
#include "tenon/plan/planner_test_support.h"

namespace tenon::plan {
namespace {

TEST(Planner, AFusionTakesItsNodesAndStoresNothingBetween) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %product = MatMul(%x:0, %w:0) {transpose_b=true}
    %sum = Add(%product:0, %b:0)
    %r = Result(%sum:0) {name="out"})");
  EXPECT_EQ(steps(*plan), "biased sum");
  const Step& fused = plan->lists[0].steps[0];
  ASSERT_EQ(fused.parts.size(), 1u);
  EXPECT_EQ(storage(*plan, fused.parts[0].inputs[0]).name, "x");
  EXPECT_EQ(storage(*plan, fused.parts[0].inputs[1]).constant->weight, "w");
  EXPECT_EQ(storage(*plan, fused.parts[0].inputs[2]).constant->weight, "b");
  EXPECT_EQ(fused.attributes.size(), 2u);
  EXPECT_EQ(plan->arena_bytes, 0u);
  EXPECT_EQ(storage(*plan, fused.parts[0].outputs[0]).kind, StorageKind::kOutput);
  EXPECT_TRUE(plan->refusals.empty());
}

TEST(Planner, ARefusedFusionIsToldWithItsReason) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %wide = Constant() {type=f32[24,8], weight="wide"}
    %bias = Constant() {type=f32[24], weight="bias"}
    %product = MatMul(%x:0, %wide:0) {transpose_b=true}
    %sum = Add(%product:0, %bias:0)
    %r = Result(%sum:0) {name="out"})");
  EXPECT_EQ(steps(*plan), "product product, reference sum");
  EXPECT_EQ(plan->refusals, (std::vector<Refusal>{{"biased", "sum", "the weight has more than 16 rows"}}));
  EXPECT_NE(print(*plan).find("biased at sum: the weight has more than 16 rows"), std::string::npos);
}

// Of two products in a sum the first may be wanted elsewhere, the second not.
TEST(Planner, EveryWayInWhichARowFitsIsTried) {
  const Target target{
      "t", {{.id = "residual", .pattern = "Add(MatMul(x, w:Constant), r)"}, {.id = "any", .pattern = "*"}}};
  const auto plan = plan_of(std::string(kInputs) + R"(
    %v = Constant() {type=f32[16,8], weight="v"}
    %first = MatMul(%x:0, %w:0) {transpose_b=true}
    %second = MatMul(%x:0, %v:0) {transpose_b=true}
    %sum = Add(%first:0, %second:0)
    %r = Result(%sum:0) {name="out"}
    %f = Result(%first:0) {name="first"})",
                            {}, target);
  EXPECT_EQ(steps(*plan), "any first, residual sum");
  EXPECT_TRUE(plan->refusals.empty());
}

TEST(Planner, AValueThatIsReadElsewhereIsNotFusedAway) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %product = MatMul(%x:0, %w:0) {transpose_b=true}
    %sum = Add(%product:0, %b:0)
    %other = Sqrt(%product:0)
    %r = Result(%sum:0) {name="out"}
    %o = Result(%other:0) {name="other"})");
  EXPECT_EQ(steps(*plan), "product product, reference sum, reference other");
  EXPECT_EQ(plan->refusals, (std::vector<Refusal>{{"biased", "sum", "'product' is read by 'other' too"}}));
}

TEST(Planner, AResultIsAReaderToo) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %product = MatMul(%x:0, %w:0) {transpose_b=true}
    %sum = Add(%product:0, %b:0)
    %r = Result(%sum:0) {name="out"}
    %o = Result(%product:0) {name="product"})");
  EXPECT_EQ(steps(*plan), "product product, reference sum");
}

// ---- groups ----

TEST(Planner, StepsOfAGroupThatReadOneValueJoin) {
  const auto plan = plan_of(std::string(kInputs) + R"(
    %k = Constant() {type=f32[4,8], weight="k"}
    %v = Constant() {type=q8_0[4,32], weight="v"}
    %other = Parameter() {name="other", type=f32[1,1,T:token,8]}
    %q_product = MatMul(%x:0, %w:0) {transpose_b=true}
    %q_sum = Add(%q_product:0, %b:0)
    %k_product = MatMul(%x:0, %k:0) {transpose_b=true}
    %apart = MatMul(%other:0, %k:0) {transpose_b=true}
    %a = Result(%q_sum:0) {name="q"}
    %c = Result(%k_product:0) {name="k"}
    %d = Result(%apart:0) {name="apart"})");
  EXPECT_EQ(steps(*plan), "biased q_sum, product apart");
  const Step& joined = plan->lists[0].steps[0];
  ASSERT_EQ(joined.parts.size(), 2u);
  EXPECT_EQ(joined.parts[0].inputs.size(), 3u);
  EXPECT_EQ(joined.parts[1].inputs.size(), 2u);
  EXPECT_EQ(storage(*plan, joined.parts[1].inputs[1]).constant->weight, "k");
  EXPECT_EQ(storage(*plan, joined.parts[1].outputs[0]).name, "k");
}

// ---- layouts of weights ----

// A tied embedding: rows of it are looked up, and it is the last product's weight.
TEST(Planner, AWeightLiesInMemoryOnceForEachLayoutThatIsWanted) {
  const Target target{
      "t",
      {{.id = "few", .pattern = "MatMul(x, w:Constant)", .tokens = {1, 1}, .weight_layout = "tiles"},
       {.id = "many", .pattern = "MatMul(x, w:Constant)", .weight_layout = "panels"},
       {.id = "rows", .pattern = "Gather"}}};
  const auto plan = plan_of(std::string(kInputs) + R"(
    %rows = Gather(%w:0, %tokens:0) {axis=0}
    %first = MatMul(%x:0, %w:0) {transpose_b=true}
    %second = MatMul(%rows:0, %w:0) {transpose_b=true}
    %y = Result(%first:0) {name="y"}
    %z = Result(%second:0) {name="z"})",
                            {}, target);
  const auto weight = [&](int64_t tokens, std::string_view name) {
    for (const Step& each : plan->list_for(tokens)->steps) {
      if (each.name == name) return each.parts[0].inputs[name == "rows" ? 0 : 1].storage;
    }
    return -1;
  };
  const auto layout = [&](int64_t tokens, std::string_view name) {
    return plan->storages.at(static_cast<size_t>(weight(tokens, name))).layout;
  };
  EXPECT_EQ(layout(1, "rows"), "file");
  EXPECT_EQ(layout(1, "first"), "tiles");
  EXPECT_EQ(layout(2, "rows"), "file");
  EXPECT_EQ(layout(2, "first"), "panels");
  EXPECT_EQ(weight(1, "rows"), weight(2, "rows"));
  EXPECT_EQ(weight(1, "first"), weight(1, "second"));
  EXPECT_EQ(weight(2, "first"), weight(2, "second"));
}

// ---- tables that steps share ----

constexpr const char* kRopes = R"(
    %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
    %q = Parameter() {name="q", type=f32[1,T:token,2:head,8:head_size]}
    %k = Parameter() {name="k", type=f32[1,T:token,3:head,8:head_size]}
    %positions = Parameter() {name="positions", type=i32[1,1,1,T:token]}
    %a = Rope(%q:0, %positions:0) {n_rot=8}
)";

TEST(Planner, EqualRopesShareOneTable) {
  const auto plan = plan_of(std::string(kRopes) + R"(
    %b = Rope(%k:0, %positions:0) {n_rot=8}
    %ra = Result(%a:0) {name="a"}
    %rb = Result(%b:0) {name="b"})");
  EXPECT_EQ(steps(*plan), "table table of a, rope a, rope b");
  EXPECT_EQ(step(*plan, "a").parts[0].inputs.back().storage, step(*plan, "b").parts[0].inputs.back().storage);
  const Operand& table = step(*plan, "table of a").parts[0].outputs[0];
  EXPECT_EQ(extents(table), "T,8");
  EXPECT_NE(step(*plan, "table of a").find_attributes<op::RopeAttributes>(), nullptr);
}

TEST(Planner, RopesOfOtherBasesHaveTablesOfTheirOwn) {
  const auto plan = plan_of(std::string(kRopes) + R"(
    %b = Rope(%k:0, %positions:0) {n_rot=8, freq_base=500}
    %ra = Result(%a:0) {name="a"}
    %rb = Result(%b:0) {name="b"})");
  EXPECT_EQ(steps(*plan), "table table of a, rope a, table table of b, rope b");
}

}  // namespace
}  // namespace tenon::plan
