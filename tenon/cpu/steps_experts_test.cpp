// Steps of mixtures of experts on every instruction set against the references.
#include "tenon/cpu/steps_test_support.h"

namespace tenon::cpu {
namespace {

class ExpertSteps : public StepsOnEachIsa {};
TENON_EACH_ISA(ExpertSteps);

// Ids are the first 3 of 5 in each row, as a router sorts them.
const char* const kExperts = R"(
    %x = Parameter() {name="x", type=f32[1,T:token,1,32]}
    %order = Parameter() {name="order", type=i32[1,T:token,5]}
    %weights = Parameter() {name="weights", type=f32[1,T:token,3,1]}
    %lengths = Constant() {type=i64[2], values=[3,2]}
    %chosen = VariadicSplit(%order:0, %lengths:0) {axis=2}
    %g = Constant() {type=f32[11,24,32], weight="g"}
    %u = Constant() {type=f32[11,24,32], weight="u"}
    %d = Constant() {type=f16[11,40,24], weight="d"}
    %b = Constant() {type=f32[11,40], weight="b"}
    %gate = MatMulExperts(%x:0, %g:0, %chosen:0)
    %up = MatMulExperts(%x:0, %u:0, %chosen:0)
    %unit = SwiGLU(%gate:0, %up:0)
    %down = MatMulExperts(%unit:0, %d:0, %chosen:0)
    %bias = Gather(%b:0, %chosen:0)
    %biased = Add(%down:0, %bias:0)
    %weighted = Multiply(%biased:0, %weights:0)
    %r = Result(%weighted:0) {name="out"})";

TEST_P(ExpertSteps, ExpertsMultiplyTheRowsThatChoseThem) {
  const std::vector<std::string> rows = {"matmul_experts_swiglu", "matmul_experts", "gather_rows", "add",
                                         "multiply"};
  expect_agreement(kExperts, rows, 1e-4);
  // All tokens choose one expert, and each names it three times.
  expect_agreement(kExperts, rows, 1e-4, [](op::HostTensors& inputs) {
    op::HostTensor& order = inputs.at("order");
    order = op::HostTensor::of(order.element, order.extents,
                               std::vector<double>(static_cast<size_t>(order.element_count()), 7));
  });
}

TEST_P(ExpertSteps, AnExpertThatIsNotThereIsAnError) {
  const std::shared_ptr<runtime::Backend> backend = make_backend(2).value();
  for (const double id : {-1.0, 11.0}) {
    TestModel model = test_model(kExperts, 5);
    op::HostTensor& order = model.inputs.at("order");
    std::vector<double> ids = order.values();
    ids[11] = id;
    order = op::HostTensor::of(order.element, order.extents, ids);
    op::HostTensors found;
    const Status status = run_plan(backend, plan_for(*backend, model.graph), 5, model.inputs, found);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message().find("an expert from 0 to 10"), std::string::npos)
        << status.error().message();
  }
}

TEST_P(ExpertSteps, RoutersAndUnitsOfExperts) {
  expect_agreement(R"(
    %x = Parameter() {name="x", type=f32[1,1,T:token,43]}
    %y = Parameter() {name="y", type=f32[1,1,T:token,43]}
    %shares = Softmax(%x:0)
    %unit = SwiGLUOai(%x:0, %y:0) {limit=1.25}
    %shift = Parameter() {name="shift", type=f32[1,1,T:token,1]}
    %quotient = Divide(%shares:0, %shift:0)
    %k = Constant() {type=i64[], values=[5]}
    %top = TopK(%x:0, %k:0)
    %low = TopK(%x:0, %k:0) {mode=min}
    %a = Result(%quotient:0) {name="quotient"}
    %b = Result(%unit:0) {name="unit"}
    %c = Result(%top:0) {name="top"}
    %d = Result(%top:1) {name="top_ids"}
    %e = Result(%low:1) {name="low_ids"})",
                   {"softmax", "swiglu_oai", "divide", "topk", "topk"}, 2e-5);
}

}  // namespace
}  // namespace tenon::cpu
