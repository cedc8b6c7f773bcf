// L5: heads and tokens are swapped by orders of their own, in every form of a model.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/contracts/tiny_transformer.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

const test::Breaker shared("L5_shared_order", "two transposes read one order");

ir::Pass put_faults_in() {
  return fault_pass([](ir::Model& model) {
    if (!shared.active()) return;
    std::vector<ir::Node*> transposes;
    for (ir::Node* const node : model.topological_order()) {
      if (node->is("Transpose")) transposes.push_back(node);
    }
    EXPECT_TRUE(model.set_input(*transposes.at(1), 1, transposes.at(0)->input(1)).ok());
  });
}

void expect_own_orders(const ir::Model& model) {
  int transposes = 0;
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Transpose")) continue;
    ++transposes;
    const ir::Node& order = node->input(1).node();
    ASSERT_TRUE(order.is("Constant"));
    EXPECT_EQ(order.attributes_as<ir::ConstantAttributes>().values, (std::vector<int64_t>{0, 2, 1, 3}));
    EXPECT_EQ(order.port_uses(0).size(), 1u) << order.name();
  }
  EXPECT_EQ(transposes, 3);
}

TEST(L5_OrderConstants, HaveOneReaderAfterThePipelineAndAfterPrintAndParse) {
  const std::vector<ir::Pass> forms[] = {
      {put_faults_in()},
      {pass::make_stateful(), put_faults_in()},
      {pass::make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(), put_faults_in()}};
  for (const auto& form : forms) {
    const ir::Model model = try_convert(TinyTransformer().decoder(), form).value();
    expect_own_orders(model);
    const auto parsed = ir::parse(ir::print(model), op::all_schemas());
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    expect_own_orders(*parsed);
  }
}

}  // namespace
}  // namespace tenon::contracts
