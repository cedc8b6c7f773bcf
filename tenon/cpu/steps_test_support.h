// Steps of models in the text form against the references.
#pragma once

#include <gmock/gmock.h>

#include <functional>

#include "tenon/cpu/model_test_support.h"

namespace tenon::cpu {

class StepsOnEachIsa : public EachIsa {
 protected:
  // `rows` are among the steps, none is left to a reference, and the outputs are the references' up to
  // `tolerance` of their size or 1.
  void expect_agreement(const std::string& body, const std::vector<std::string>& rows,
                        double tolerance = 2e-6,
                        const std::function<void(op::HostTensors&)>& edit_inputs = nullptr) {
    for (const int threads : {1, 3}) {
      const std::shared_ptr<runtime::Backend> backend = make_backend(threads).value();
      for (const int64_t tokens : {1, 5, 12}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(tokens) + " tokens");
        TestModel model = test_model(body, tokens);
        if (edit_inputs) edit_inputs(model.inputs);
        const auto plan = plan_for(*backend, model.graph);
        EXPECT_THAT(rows_of(*plan->list_for(tokens)), testing::IsSupersetOf(rows)) << plan::print(*plan);
        EXPECT_EQ(plan->count("reference", *plan->list_for(tokens)), 0) << plan::print(*plan);
        op::HostTensors found;
        const Status status = run_plan(backend, plan, tokens, model.inputs, found);
        ASSERT_TRUE(status.ok()) << status.error().message();
        const auto expected = op::evaluate(model.graph, model.inputs, TestData(tokens).symbols());
        ASSERT_TRUE(expected.ok()) << expected.error().message();
        for (const auto& [name, tensor] : *expected) {
          const std::vector<double> wanted = tensor.values(), have = found.at(name).values();
          ASSERT_EQ(have.size(), wanted.size()) << name;
          for (size_t i = 0; i < wanted.size(); ++i) {
            ASSERT_NEAR(have[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i])))
                << name << " at " << i;
          }
        }
      }
    }
  }
};

}  // namespace tenon::cpu
