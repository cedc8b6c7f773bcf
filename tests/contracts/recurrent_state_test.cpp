// S15: recurrent states: pairs of an input and an output, static, zero at first, replaced and not appended.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/build.h"
#include "tenon/op/op.h"
#include "tenon/op/read_value.h"
#include "tenon/pass/state/stateful.h"
#include "tenon/ref/backend.h"
#include "tenon/runtime/state.h"
#include "tests/contracts/cache_graphs.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using decoder::Edge;
using op::HostTensors;
using pass::make_stateful;

const test::Breaker no_pair("S15_no_pair", "the state's output is not told to be its next value");
const test::Breaker keeps_the_old("S15_keeps_the_old", "the state is assigned what it was");
const test::Breaker starts_with_ones("S15_starts_with_ones", "the initial value is not zero");
const test::Breaker as_cache("S15_told_as_cache", "the decoder tells the state as a cache that appends");

constexpr const char* kState = "f32[1,1,2,3]";

// state <- 2 * state + x; "sum" is state + x. Beside it a cache, where that is asked for.
test::HandDecoder recurrence(const char* state_type = kState, bool cache = false) {
  test::HandDecoder graph = cache ? cache_writes(1) : test::HandDecoder();
  const Edge x = graph.input("x", "f32[1,1,2,3]");
  const Edge state = as_cache.active() ? graph.cache("cache_s_l3", state_type, {.layer = 3})
                                       : graph.recurrent_state("cache_s_l3", state_type, 3);
  const Edge sum = graph.node("ADD", {state, x}, state_type);
  graph.output("sum", sum);
  graph.output(no_pair.active() ? "next" : "cache_s_l3", graph.node("ADD", {sum, state}, state_type));
  return graph;
}

ir::Pass put_faults_in() {
  return fault_pass([](ir::Model& model) {
    ir::Node* const read = find_op(model, "ReadValue");
    if (keeps_the_old.active()) {
      EXPECT_TRUE(model.set_input(*find_op(model, "Assign"), 0, read->output(0)).ok());
    }
    if (starts_with_ones.active()) {
      const ir::Value ones = op::Builder(model, "ones").floats({1, 1, 2, 3}, std::vector<double>(6, 1));
      EXPECT_TRUE(model.set_input(*read, 0, ones).ok());
    }
  });
}

TEST(S15_RecurrentStates, AreTypedPairsThatTheTextFormKeeps) {
  const ir::Model model = try_convert(recurrence(), {}).value();
  const auto parsed = ir::parse(ir::print(model), op::all_schemas());
  ASSERT_TRUE(parsed.ok()) << parsed.error().message();
  for (const ir::Model* const form : {&model, &*parsed}) {
    const auto& input = form->find_parameter("cache_s_l3")->attributes_as<ir::ParameterAttributes>();
    EXPECT_EQ(input.role, ir::ParameterRole::kRecurrentState);
    EXPECT_EQ(input.layer, 3);
    const ir::Node* const output = form->find_result("cache_s_l3");
    ASSERT_NE(output, nullptr);
    EXPECT_EQ(output->attributes_as<ir::ResultAttributes>().state, "cache_s_l3");
    EXPECT_EQ(output->input(0).type().dims(), input.type.dims());
  }
}

TEST(S15_RecurrentStates, BecomeVariablesThatAreReplaced) {
  const auto converted_or = try_convert(recurrence(), {make_stateful(), put_faults_in()});
  ASSERT_TRUE(converted_or.ok()) << converted_or.error().message();
  const ir::Model& model = *converted_or;
  EXPECT_EQ(input_names(model), (std::vector<std::string>{"x"}));  // without a cache there are no beams
  for (const auto& [op, count] : {std::pair{"ReadValue", 1}, {"Assign", 1}, {"Gather", 0}, {"Concat", 0}})
    EXPECT_EQ(model.count(op), count) << op;
  ASSERT_EQ(model.count("ReadValue"), 1);
  const ir::Node& read = *find_op(model, "ReadValue");
  EXPECT_EQ(read.attributes_as<op::ReadValueAttributes>().role, ir::ParameterRole::kRecurrentState);
  EXPECT_EQ(read.port_type(0).to_string(), kState);
  EXPECT_EQ(find_op(model, "Assign")->input(0).node().op(), "Add");
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    HostTensors outputs = steps.run({{"x", f32({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})}});
    EXPECT_EQ(outputs["sum"].values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    outputs = steps.run({{"x", f32({1, 1, 2, 3}, {10, 10, 10, 20, 20, 20})}});
    EXPECT_EQ(outputs["sum"].values(), (std::vector<double>{11, 12, 13, 24, 25, 26}));
    EXPECT_EQ(outputs["cache_s_l3"].values(), (std::vector<double>{12, 14, 16, 28, 30, 32}));
  });
}

TEST(S15_RecurrentStates, StandBesideCaches) {
  const auto model = try_convert(recurrence(kState, true), {make_stateful()});
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(model->count("ReadValue"), 2);
  EXPECT_EQ(model->count("Concat"), 1);
  EXPECT_EQ(model->results().size(), 1u);
  EXPECT_NE(model->find_parameter("beam_idx"), nullptr);
}

TEST(S15_RecurrentStates, ThatAreNotStaticOrHaveNoNextValueAreErrors) {
  const char* const open = "f32[1,1,S,3]";
  test::HandDecoder dynamic;
  const auto declare = [](test::HandDecoder& graph, const char* type) {
    return as_cache.active() ? graph.cache("cache_s_l3", type) : graph.recurrent_state("cache_s_l3", type);
  };
  const Edge state = declare(dynamic, open);
  dynamic.output("cache_s_l3", dynamic.node("ADD", {state, state}, open));
  expect_error(try_convert(dynamic, {make_stateful()}),
               {"recurrent state 'cache_s_l3'", "constant extents", open});
  test::HandDecoder dropped;
  const Edge read = declare(dropped, kState);
  dropped.output("sum", dropped.node("ADD", {read, read}, kState));
  expect_error(try_convert(dropped, {make_stateful()}), {"recurrent state 'cache_s_l3'", "its next value"});
}

// The runtimes' own state: reset to zero, never trimmed.
TEST(S15_RecurrentStates, AreResetAndNeverTrimmed) {
  for (const bool stateful : {false, true}) {
    test::HandDecoder graph = recurrence();
    std::vector<ir::Pass> passes;
    if (stateful) passes = {make_stateful(), put_faults_in()};
    const ir::Model model = try_convert(graph, passes).value();
    const std::shared_ptr<runtime::Backend> backend = ref::make_backend();
    const auto plan = plan::make_plan(model, backend->target(), {}).value();
    const auto session = runtime::Session::create(backend, plan).value();
    auto state = runtime::State::create(*session, *backend, 8);
    ASSERT_TRUE(state.ok()) << state.error().message();
    op::HostTensor x = f32({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
    op::HostTensor sum = op::HostTensor::make(ElementType::kF32, {1, 1, 2, 3});
    const auto step = [&] {
      std::vector<runtime::SymbolValue> symbols;
      ASSERT_TRUE(session->bind_input("x", x.bytes.data(), x.bytes.size()).ok());
      ASSERT_TRUE(session->bind_output("sum", sum.bytes.data(), sum.bytes.size()).ok());
      ASSERT_TRUE(state->bind(*session, 1, symbols).ok());
      const Status run = session->run(symbols);
      EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().message());
      state->commit(1);
    };
    step();
    EXPECT_EQ(sum.values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    step();
    EXPECT_EQ(sum.values(), (std::vector<double>{2, 4, 6, 8, 10, 12}));
    EXPECT_FALSE(state->can_trim(0));
    const Status trimmed = state->trim(1);
    ASSERT_FALSE(trimmed.ok());
    EXPECT_NE(trimmed.error().message().find("cache_s_l3"), std::string::npos) << trimmed.error().message();
    state->reset();
    step();
    EXPECT_EQ(sum.values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  }
}

}  // namespace
}  // namespace tenon::contracts
