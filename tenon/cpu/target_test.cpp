#include "tenon/cpu/target.h"

#include <gtest/gtest.h>

#include <set>

#include "tenon/cpu/model_test_support.h"
#include "tenon/cpu/steps.h"

namespace tenon::cpu {
namespace {

// The refusals of a model, "row at node: reason" each on a line.
std::string refusals(const std::string& body) {
  const auto backend = make_backend(1).value();
  const auto plan = plan_for(*backend, test_model(body, 1).graph);
  std::string out;
  for (const plan::Refusal& refusal : plan->refusals)
    out += refusal.row + " at " + refusal.node + ": " + refusal.reason + "\n";
  return out;
}

TEST(CpuTarget, EveryRowHasAFunctionAndAPattern) {
  const plan::Target target = make_target(*supported_kernels().front());
  ASSERT_FALSE(target.rows.empty());
  for (const plan::TargetRow& row : target.rows) {
    EXPECT_NO_THROW(plan::Pattern::parse(row.pattern)) << row.pattern;
    EXPECT_TRUE(row.id == "reference" || find_step(row.id).function) << row.id;
    EXPECT_TRUE(!row.shared || find_step(row.shared->id).function) << row.id;
  }
  EXPECT_EQ(target.rows.back().pattern, "*");
}

// A pattern below one that takes all that it takes would never fire.
TEST(CpuTarget, LargerPatternsComeFirst) {
  const plan::Target target = make_target(*supported_kernels().front());
  std::map<std::string, size_t> smallest;
  for (const plan::TargetRow& row : target.rows) {
    const plan::Pattern pattern = plan::Pattern::parse(row.pattern);
    const auto [entry, first] = smallest.emplace(pattern.root_op(), pattern.node_count());
    EXPECT_LE(pattern.node_count(), entry->second) << row.pattern;
    entry->second = pattern.node_count();
  }
}

TEST(CpuTarget, RefusesWithTheReason) {
  const std::string x = "%x = Parameter() {name=\"x\", type=f32[1,1,T:token,32]}\n";
  const std::string half = "%h = Convert(%x:0) {to=f16}\n";
  const std::string weight = "%w = Constant() {type=f32[16,32], weight=\"w\"}\n";
  const struct {
    std::string body, reason;
  } cases[] = {
      {x + half + weight + "%p = MatMul(%h:0, %w:0) {transpose_b=true}\n%r = Result(%p:0) {name=\"r\"}",
       "matmul at p: wants f32, has Convert %h:0"},
      {x + "%w = Constant() {type=f32[32,16], weight=\"w\"}\n%p = MatMul(%x:0, %w:0)\n%r = Result(%p:0) "
           "{name=\"r\"}",
       "matmul at p: wants a weight [N, K]"},
      {x + weight +
           "%one = Constant() {type=f32[1], weight=\"one\"}\n%p = MatMul(%x:0, %w:0) {transpose_b=true}\n"
           "%s = Add(%p:0, %one:0)\n%r = Result(%s:0) {name=\"r\"}",
       "matmul at s: wants an f32 bias of 16"},
      {"%x = Parameter() {name=\"x\", type=f32[1,2,T:token,32]}\n"
       "%t = Parameter() {name=\"t\", type=f32[1,2,1,32]}\n"
       "%s = Add(%x:0, %t:0)\n%r = Result(%s:0) {name=\"r\"}",
       "add at s: wants whole trailing axes"},
      {x + "%y = Parameter() {name=\"y\", type=f32[32]}\n%s = Add(%y:0, %x:0)\n%r = Result(%s:0) "
           "{name=\"r\"}",
       ""},
      {x + half + "%n = Sqrt(%h:0)\n%s = Add(%n:0, %h:0)\n%r = Result(%s:0) {name=\"r\"}",
       "add at s: wants f32"},
      {x + "%i = Parameter() {name=\"i\", type=i32[1,T:token]}\n%o = Convert(%i:0) {to=f32}\n%r = "
           "Result(%o:0) {name=\"r\"}",
       "convert at o: wants f32, f16 or bf16"},
      {"%q = Parameter() {name=\"q\", type=f32[2,T:token,4:head,16:head_size]}\n"
       "%p = Parameter() {name=\"p\", type=i32[1,1,1,T:token], role=positions}\n"
       "%o = Rope(%q:0, %p:0) {n_rot=16}\n%r = Result(%o:0) {name=\"r\"}",
       "rope at o: wants [1, T, H, D]"},
      {"%q = Parameter() {name=\"q\", type=f32[1,T:token,4:head,16:head_size]}\n"
       "%p = Parameter() {name=\"p\", type=i64[1,1,1,T:token], role=positions}\n"
       "%o = Rope(%q:0, %p:0) {n_rot=16}\n%r = Result(%o:0) {name=\"r\"}",
       "rope at o: wants i32 positions"},
      {"%c = Parameter() {name=\"c\", type=f32[1,2,KV:position,8], role=cache}\n"
       "%u = Parameter() {name=\"u\", type=f32[1,2,T:token,8]}\n"
       "%i = Parameter() {name=\"i\", type=i64[1,1,1,T:token], role=cache_index}\n"
       "%o = ScatterUpdate(%c:0, %i:0, %u:0) {axis=2}\n%r = Result(%o:0) {name=\"c\"}",
       "scatter_rows at o: wants updates along axis 1 of one sequence"},
  };
  for (const auto& [body, reason] : cases) {
    const std::string found = refusals(body);
    if (reason.empty())
      EXPECT_EQ(found, "");
    else
      EXPECT_NE(found.find(reason), std::string::npos) << reason << "\n" << found;
  }
}

}  // namespace
}  // namespace tenon::cpu
