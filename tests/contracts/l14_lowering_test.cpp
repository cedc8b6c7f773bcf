// L14, as far as Tenon's own plans go: attention is one fused step, in every form and for every architecture.
//
// A host's fusion wants more of the stateful form. Each of these, broken alone, is caught by the test beside:
//   a Convert after the Concat   L6_convert_after_concat, L6_Casts.NoneStandsBetweenACacheAndAttention
//   an order that two share      L5_shared_order, L5_OrderConstants.HaveOneReader…
//   heads split by one Reshape   L3_one_step, L3_Permute.SplitsByTheCountFirstAndByHeadsNext
//   no Gather of the beams       S4_no_beam_gather, S12_no_gather, S12_Beams.TheGatherStays…
//   ReadValue without a value    S10_unconnected, S10_InitialValue.IsAConnectedConstantWithoutTokens
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tenon/op/attention.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker loose("L14_loose_softmax", "attention is taken apart before the plan is made");

// Puts each Attention's decomposition in its place.
void take_attention_apart(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Attention") && !node->is("PagedAttention")) continue;
    const op::Decomposition decompose = op::find_op(node->op())->decomposition;
    if (!decompose) continue;
    const std::vector<ir::Value> made = decompose(model, *node).value();
    ASSERT_TRUE(model.replace_uses(node->output(0), made[0]).ok());
    model.erase(*node);
  }
}

int count_ops(const plan::StepList& list, const std::set<std::string>& ops) {
  return static_cast<int>(std::count_if(list.steps.begin(), list.steps.end(),
                                        [&](const plan::Step& step) { return ops.contains(step.op); }));
}

class L14_Plans : public testing::TestWithParam<StateForm> {};

TEST_P(L14_Plans, HaveOneFusedAttentionForEachAttentionLayer) {
  std::set<std::string> seen;
  for (const fixtures::Fixture& fixture : fixtures::catalogue()) {
    SCOPED_TRACE(fixture.name);
    const auto file = test::file_of(fixture.spec);
    for (const test::RunDevice& device : test::run_devices()) {
      const auto backend = test::make_backend(device);
      SessionOptions options = test::exact_options(GetParam());
      Compiled compiled = compile(file, *find_device(backend->name()).value(), *backend, options).value();
      const int layers = compiled.graph.count("Attention") + compiled.graph.count("PagedAttention");
      const int routers = compiled.graph.count("Softmax");  // of experts
      if (layers == 0) continue;                            // a model without attention
      seen.insert(fixture.spec.architecture);
      std::shared_ptr<const plan::Plan> plan = compiled.plan;
      if (loose.active()) {
        take_attention_apart(compiled.graph);
        plan::PlanOptions again;
        again.symbols = plan->symbols;
        plan = plan::make_plan(compiled.graph, backend->target(), again).value();
      }
      for (const plan::StepList& list : plan->lists) {
        EXPECT_EQ(count_ops(list, {"Attention", "PagedAttention"}), layers);
        EXPECT_EQ(count_ops(list, {"Softmax"}), routers);
      }
    }
  }
  EXPECT_GE(seen.size(), 8u);
}

const char* name_of(StateForm form) {
  if (form == StateForm::kInPlace) return "InPlace";
  return form == StateForm::kStateless ? "Stateless" : "Stateful";
}

INSTANTIATE_TEST_SUITE_P(Forms, L14_Plans,
                         testing::Values(StateForm::kInPlace, StateForm::kStateless, StateForm::kStateful),
                         [](const auto& form) { return name_of(form.param); });

}  // namespace
}  // namespace tenon::contracts
