#include "tenon/cpu/backend.h"

#include <gtest/gtest.h>

#include "tenon/cpu/model_test_support.h"

namespace tenon::cpu {
namespace {

constexpr const char* kLookUp = R"(
  %ids = Parameter() {name="ids", type=i32[1,T:token]}
  %table = Constant() {type=f32[11,64], weight="table"}
  %w = Constant() {type=f32[64,64], weight="w"}
  %rows = Gather(%table:0, %ids:0)
  %p = MatMul(%rows:0, %w:0) {transpose_b=true}
  %r = Result(%p:0) {name="out"}
)";

// All workers leave together: the next run finds none of them astray.
TEST(CpuBackend, AnErrorOfAKernelLeavesTheBackendUsable) {
  const auto backend = make_backend(4).value();
  TestModel model = test_model(kLookUp, 12);
  const auto plan = plan_for(*backend, model.graph);
  op::HostTensors first, found;
  ASSERT_TRUE(run_plan(backend, plan, 12, model.inputs, first).ok());
  for (const double bad : {-1.0, 11.0}) {
    op::HostTensors inputs = model.inputs;
    inputs.at("ids").ref().as<int32_t>()[7] = static_cast<int32_t>(bad);
    const Status status = run_plan(backend, plan, 12, inputs, found);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().where, "rows");
    EXPECT_EQ(status.error().wanted, "an index from 0 to 10");
    EXPECT_EQ(status.error().found, std::to_string(static_cast<int>(bad)));
    ASSERT_TRUE(run_plan(backend, plan, 12, model.inputs, found).ok());
    EXPECT_EQ(found.at("out").bytes, first.at("out").bytes);
  }
}

// What has no kernel runs by its reference, on one worker, between kernels that all workers run.
constexpr const char* kMixed = R"(
  %x = Parameter() {name="x", type=f32[1,1,T:token,64]}
  %w = Constant() {type=f32[64,64], weight="w"}
  %a = MatMul(%x:0, %w:0) {transpose_b=true}
  %b = Clamp(%a:0) {min=-0.125, max=0.125}
  %c = MatMul(%b:0, %w:0) {transpose_b=true}
  %d = Cos(%c:0)
  %e = Add(%d:0, %b:0)
  %r = Result(%e:0) {name="out"}
)";

TEST(CpuBackend, ReferencesRunBetweenKernels) {
  const TestModel model = test_model(kMixed, 12);
  const std::vector<double> wanted = op::evaluate(model.graph, model.inputs)->at("out").values();
  for (const int threads : {1, 2, 5}) {
    const auto backend = make_backend(threads).value();
    const auto plan = plan_for(*backend, model.graph);
    EXPECT_EQ(plan->count("reference", *plan->list_for(12)), 2);
    for (int repeat = 0; repeat < 20; ++repeat) {
      op::HostTensors found;
      ASSERT_TRUE(run_plan(backend, plan, 12, model.inputs, found).ok());
      const std::vector<double> values = found.at("out").values();
      for (size_t i = 0; i < wanted.size(); ++i)
        ASSERT_NEAR(values[i], wanted[i], 2e-5) << threads << " threads";
    }
  }
}

TEST(CpuBackend, AnErrorOfAReferenceIsTheRunsError) {
  const auto backend = make_backend(3).value();
  TestModel model = test_model(R"(
    %ids = Parameter() {name="ids", type=i64[T:token]}
    %x = Parameter() {name="x", type=f16[11,8]}
    %rows = Gather(%x:0, %ids:0)
    %r = Result(%rows:0) {name="out"})",
                               5);
  const auto plan = plan_for(*backend, model.graph);
  op::HostTensors found;
  ASSERT_TRUE(run_plan(backend, plan, 5, model.inputs, found).ok());
  model.inputs.at("ids").ref().as<int64_t>()[2] = 99;
  const Status status = run_plan(backend, plan, 5, model.inputs, found);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message().find("rows"), std::string::npos) << status.error().message();
}

TEST(CpuBackend, TheNumberOfThreadsChangesNoBit) {
  const TestModel model = test_model(kMixed, 12);
  op::HostTensors first;
  for (const int threads : {1, 2, 3, 4}) {
    const auto backend = make_backend(threads).value();
    op::HostTensors found;
    ASSERT_TRUE(run_plan(backend, plan_for(*backend, model.graph), 12, model.inputs, found).ok());
    if (threads == 1) first = found;
    EXPECT_EQ(found.at("out").bytes, first.at("out").bytes) << threads;
  }
}

TEST(CpuBackend, APlanOfAnotherTargetIsRefusedByStepAndKernel) {
  const auto backend = make_backend(1).value();
  plan::Plan plan = *plan_for(*backend, test_model(kLookUp, 1).graph);
  plan.lists[0].steps[0].row = "tensor_core_matmul";
  const auto program = backend->load(std::make_shared<const plan::Plan>(plan));
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().message(), "step 'rows': wanted a kernel of the cpu, found tensor_core_matmul");
}

}  // namespace
}  // namespace tenon::cpu
