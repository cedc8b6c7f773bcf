// Products that normalise x themselves against those of a norm's own step.
#include <gtest/gtest.h>

#include "tenon/cpu/backend.h"
#include "tenon/cpu/steps_test_support.h"

namespace tenon::cpu {
namespace {

class StepsNorm : public StepsOnEachIsa {};
TENON_EACH_ISA(StepsNorm);

constexpr const char* kBody = R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,288]}
    %g = Constant() {type=f32[288], weight="g"}
    %a = Constant() {type=q8_0[48,288], weight="a"}
    %b = Constant() {type=q4_0[33,288], weight="b"}
    %bias = Constant() {type=f32[48], weight="bias"}
    %up = Constant() {type=q4_0[33,288], weight="up"}
    %bare = RMSNorm(%x:0) {epsilon=0.01}
    %norm = Multiply(%bare:0, %g:0)
    %pa = MatMul(%norm:0, %a:0) {transpose_b=true}
    %sum = Add(%pa:0, %bias:0)
    %pb = MatMul(%norm:0, %b:0) {transpose_b=true}
    %plain = RMSNorm(%x:0) {epsilon=0.5}
    %gate = MatMul(%plain:0, %b:0) {transpose_b=true}
    %ups = MatMul(%plain:0, %up:0) {transpose_b=true}
    %glu = SwiGLU(%gate:0, %ups:0)
    %ra = Result(%sum:0) {name="a"}
    %rb = Result(%pb:0) {name="b"}
    %rg = Result(%glu:0) {name="glu"})";

// A norm that is wanted as a result keeps its step.
constexpr const char* kNormsAsResults = R"(
    %rn = Result(%norm:0) {name="norm"}
    %rp = Result(%plain:0) {name="plain"})";

TEST_P(StepsNorm, GiveTheSameBits) {
  for (const int threads : {1, 3}) {
    const std::shared_ptr<runtime::Backend> backend = make_backend(threads).value();
    for (const int64_t tokens : {1, 5, 12}) {
      SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(tokens) + " tokens");
      const TestModel fused = test_model(kBody, tokens);
      const TestModel apart = test_model(std::string(kBody) + kNormsAsResults, tokens);
      const auto fused_plan = plan_for(*backend, fused.graph), apart_plan = plan_for(*backend, apart.graph);
      EXPECT_EQ(fused_plan->count("rms_norm", *fused_plan->list_for(tokens)), 0) << plan::print(*fused_plan);
      EXPECT_EQ(apart_plan->count("rms_norm", *apart_plan->list_for(tokens)), 2) << plan::print(*apart_plan);
      op::HostTensors found, wanted;
      ASSERT_TRUE(run_plan(backend, fused_plan, tokens, fused.inputs, found).ok());
      ASSERT_TRUE(run_plan(backend, apart_plan, tokens, apart.inputs, wanted).ok());
      for (const auto& [name, tensor] : found) EXPECT_EQ(tensor.values(), wanted.at(name).values()) << name;
    }
  }
}

// Float weights read x as it lies.
TEST_P(StepsNorm, StaysAStepBeforeFloatWeights) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,40]}
    %w = Constant() {type=f32[16,40], weight="w"}
    %norm = RMSNorm(%x:0) {epsilon=0.01}
    %p = MatMul(%norm:0, %w:0) {transpose_b=true}
    %r = Result(%p:0) {name="out"})",
                   {"rms_norm", "matmul"}, 2e-5);
}

}  // namespace
}  // namespace tenon::cpu
