// L16: the inputs and outputs that OpenVINO GenAI drives.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/cache_graphs.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/contracts/tiny_transformer.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;
using op::HostTensors;
using pass::make_stateful;

const Dim kB = Dim::symbol("B"), kT = Dim::symbol("T");

const test::Breaker not_adapted("L16_not_adapted", "the pass does not run");
const test::Breaker not_stateful("L16_other_state",
                                 "the model is stateful where it should not be, and otherwise");

ir::Pass adapt() {
  return not_adapted.active() ? fault_pass([](ir::Model&) {}) : pass::adapt_to_genai();
}

TEST(L16_GenAi, HasItsInputsAndOutputs) {
  const ir::Model model =
      try_convert(TinyTransformer().decoder(), {make_stateful({.dynamic_batch = true}), adapt()}).value();
  EXPECT_EQ(typed_inputs(model),
            (std::vector<std::string>{"beam_idx i32[B]", "input_ids i64[B,T]", "attention_mask i64[B,KV]",
                                      "position_ids i64[B,T]"}));
  ASSERT_EQ(model.results().size(), 1u);
  EXPECT_EQ(model.find_result("logits")->input(0).type().dims(), (std::vector<Dim>{kB, 1, 9}));
  if (not_adapted.active()) return;
  const ir::Model paged =
      try_convert(TinyTransformer().decoder(),
                  {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(), pass::sdpa_to_paged()})
          .value();
  EXPECT_EQ(paged.find_result("logits")->input(0).type().dims(), (std::vector<Dim>{kT, 1, 9}));
}

TEST(L16_GenAi, LiftsIdsAndPositionsAndCountsTheIds) {
  test::HandDecoder graph = TinyTransformer().decoder();
  const auto positions = decoder::Edge{1, 0};
  const auto count = graph.input("token_len_per_seq", "i64[1]", decoder::InputRole::kOther, "T");
  graph.output("ids", decoder::Edge{0, 0}).output("positions", positions).output("count", count);
  const auto model = try_convert(graph, {make_stateful({.dynamic_batch = true}), adapt()});
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(model->find_parameter("token_len_per_seq"), nullptr);
  EXPECT_EQ(model->find_result("positions")->input(0).type().dims(), (std::vector<Dim>{kB, 1, 1, kT}));
  if (not_adapted.active()) return;
  EXPECT_EQ(model->find_result("ids")->input(0).type().dims(), (std::vector<Dim>{1, 1, kB, kT}));
  on_every_runtime([&](const std::string& runtime) {
    HostTensors outputs = StepByStep(*model, runtime).run(genai_inputs(2, {7, 2, 5, 0, 1, 3}));
    EXPECT_EQ(outputs["count"].values(), std::vector<double>{6});
    EXPECT_EQ(outputs["positions"].extents, (std::vector<int64_t>{2, 1, 1, 3}));
    EXPECT_EQ(outputs["positions"].values(), (std::vector<double>{0, 1, 2, 0, 1, 2}));
  });
}

TEST(L16_GenAi, LeavesAModelWithoutItsInputsAndRefusesOneThatIsNotStateful) {
  std::vector<ir::PassReport> reports;
  const std::string stateful = ir::print(try_convert(cache_writes(2), {make_stateful()}).value());
  std::vector<ir::Pass> passes = {pass::adapt_to_genai()};
  if (!not_stateful.active()) passes.insert(passes.begin(), make_stateful());
  EXPECT_EQ(ir::print(try_convert(cache_writes(2), passes, &reports).value()), stateful);
  EXPECT_NE(reasons(reports, "adapt_to_genai").find("not the inputs of a GGUF model"), std::string::npos);

  passes = {pass::adapt_to_genai()};
  if (not_stateful.active()) passes.insert(passes.begin(), make_stateful());
  expect_error(try_convert(TinyTransformer().decoder(), passes), {"a stateful model", "make_stateful"});
}

}  // namespace
}  // namespace tenon::contracts
