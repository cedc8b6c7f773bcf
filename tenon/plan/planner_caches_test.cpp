#include <gtest/gtest.h>

#include "tenon/plan/planner_test_support.h"

namespace tenon::plan {
namespace {

std::string cache_model(const std::string& more, const std::string& role = "cache") {
  return R"(
    symbol KV in [1, 32]
    %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
    %cache_k_l0 = Parameter() {name="cache_k_l0", type=f16[1,32:position,2:head,4:head_size], role=)" +
         role + R"(}
    %rows = Parameter() {name="rows", type=f32[1,T:token,2:head,4:head_size]}
    %index = Parameter() {name="index", type=i64[1,1,1,T:token], role=cache_index}
    %size = Parameter() {name="attention_size", type=i64[1], role=attention_size, value_symbol="KV"}
    %rest = Constant() {type=i64[1], values=[-1]}
    %lengths = Concat(%size:0, %rest:0)
    %half = Convert(%rows:0) {to=f16}
    %written = ScatterUpdate(%cache_k_l0:0, %index:0, %half:0) {axis=1}
    %split = VariadicSplit(%written:0, %lengths:0) {axis=1}
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %heads = Transpose(%split:0, %order:0)
    %seen = Sqrt(%heads:0)
    %r = Result(%seen:0) {name="seen"}
)" + more;
}

TEST(Planner, ACacheIsWrittenInItsOwnMemory) {
  const auto plan = plan_of(cache_model("%c = Result(%written:0) {name=\"cache_k_l0\"}"));
  EXPECT_EQ(steps(*plan), "StatelessKV split, reference seen");
  const StepPart& part = step(*plan, "split").parts[0];
  const int cache = plan->find_input("cache_k_l0")->storage;
  EXPECT_EQ(part.inputs[0].storage, cache);
  ASSERT_EQ(part.outputs.size(), 2u);
  EXPECT_EQ(part.outputs[0].storage, cache);
  EXPECT_EQ(extents(part.outputs[0]), "1,32,2,4");
  EXPECT_EQ(part.outputs[1].storage, cache);
  EXPECT_EQ(extents(part.outputs[1]), "1,KV,2,4");
  EXPECT_EQ(part.outputs[1].offset, Dim(0));
  // The reader takes a view of the same memory, heads first.
  const Operand& read = step(*plan, "seen").parts[0].inputs[0];
  EXPECT_EQ(read.storage, cache);
  EXPECT_EQ(extents(read), "1,2,KV,4");
  EXPECT_EQ(read.strides, (std::vector<Dim>{512, 8, 16, 2}));
  const OutputBinding& output = *plan->find_output("cache_k_l0");
  EXPECT_TRUE(output.in_place);
  EXPECT_EQ(output.storage, cache);
  EXPECT_TRUE(step(*plan, "seen").barrier_before);
}

// The lengths are known from the types: neither their Concat nor the input behind it costs anything.
TEST(Planner, LengthsOfASplitAreNotComputed) {
  const auto plan = plan_of(cache_model("%c = Result(%written:0) {name=\"cache_k_l0\"}"));
  EXPECT_FALSE(plan->find_input("attention_size")->read);
  EXPECT_TRUE(plan->find_input("index")->read);
}

// The rows' conversion is part of the step; a result of it must not be taken for the cache.
TEST(Planner, AResultOfTheRowsKeepsThemApart) {
  const auto plan = plan_of(cache_model(R"(
    %c = Result(%written:0) {name="cache_k_l0"}
    %h = Result(%half:0) {name="half"})"));
  EXPECT_EQ(steps(*plan), "reference half, StatelessKV split, reference seen");
  EXPECT_FALSE(plan->find_output("half")->in_place);
}

TEST(Planner, AResultOfThePartThatWasReadIsACopyOfIt) {
  const auto plan = plan_of(cache_model(R"(
    %c = Result(%written:0) {name="cache_k_l0"}
    %p = Result(%split:0) {name="part"})"));
  EXPECT_EQ(steps(*plan), "StatelessKV split, reference seen, reference p");
  EXPECT_FALSE(plan->find_output("part")->in_place);
  EXPECT_EQ(extents(step(*plan, "p").parts[0].outputs[0]), "1,KV,2,4");
  EXPECT_TRUE(plan->find_output("cache_k_l0")->in_place);
}

TEST(Planner, TheCallersMemoryIsWrittenOnlyForACacheThatComesBackUnread) {
  const std::string returned = "%c = Result(%written:0) {name=\"cache_k_l0\"}";
  const struct {
    std::string body, reason;
  } cases[] = {
      {cache_model(returned, "none"), "'cache_k_l0' is no cache"},
      {cache_model(returned + "\n%before = Sqrt(%cache_k_l0:0)\n%b = Result(%before:0) {name=\"before\"}"),
       "'cache_k_l0' is read by 'before' as it was before"},
      {cache_model(""), "'cache_k_l0' does not come back as a result"},
  };
  for (const auto& [body, reason] : cases) {
    const auto plan = plan_of(body);
    SCOPED_TRACE(reason);
    EXPECT_EQ(plan->count("StatelessKV", plan->lists[0]), 0);
    const bool told = std::any_of(plan->refusals.begin(), plan->refusals.end(),
                                  [&](const Refusal& refusal) { return refusal.reason == reason; });
    EXPECT_TRUE(told) << print(*plan);
    for (const Step& each : plan->lists[0].steps) {
      for (const Operand& output : each.parts[0].outputs)
        EXPECT_NE(storage(*plan, output).kind, StorageKind::kInput) << each.name;
    }
  }
}

TEST(Planner, TheCopyingFormWritesEachCacheAnew) {
  const auto plan = plan_of(R"(
    symbol KV in [1, 32]
    %tokens = Parameter() {name="tokens", type=i32[1,1,1,T:token], role=tokens}
    %cache = Parameter() {name="cache_k_l0", type=f16[1,KV:position,2:head,4:head_size], role=cache}
    %rows = Parameter() {name="rows", type=f16[1,T:token,2:head,4:head_size]}
    %index = Parameter() {name="index", type=i64[1,1,1,T:token], role=cache_index}
    %written = ScatterUpdate(%cache:0, %index:0, %rows:0) {axis=1}
    %seen = Sqrt(%written:0)
    %c = Result(%written:0) {name="cache_k_l0"}
    %r = Result(%seen:0) {name="seen"})");
  EXPECT_EQ(steps(*plan), "reference written, reference seen");
  const OutputBinding& output = *plan->find_output("cache_k_l0");
  EXPECT_FALSE(output.in_place);
  EXPECT_NE(output.storage, plan->find_input("cache_k_l0")->storage);
  EXPECT_EQ(step(*plan, "seen").parts[0].inputs[0].storage, output.storage);
  EXPECT_EQ(plan->storages[static_cast<size_t>(output.storage)].max_bytes, 32u * 16);
}

TEST(Plan, PrintsStepsBordersAndHowWeightsLie) {
  const std::string text = print(*plan_of(cache_model(R"(
    %c = Result(%written:0) {name="cache_k_l0"}
    %x = Parameter() {name="x", type=f32[1,1,T:token,256]}
    %w = Constant() {type=q4_k[16,256], weight="blk.0.w"}
    %p = MatMul(%x:0, %w:0) {transpose_b=true}
    %o = Result(%p:0) {name="out"})")));
  for (const char* const part :
       {"steps for 1 to 1 tokens: 3", "StatelessKV  split",
        "-> cache_k_l0 f16[1,32,2,4] cache_k_l0 f16[1,KV,2,4]", "(not read)",
        "  attention_size i64[1] (not read)", "  cache_k_l0 f16[1,32:position,2:head,4:head_size] in place",
        "  blk.0.w q4_k[16,256] file", "memory: arena "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

}  // namespace
}  // namespace tenon::plan
