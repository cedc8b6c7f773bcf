// S5, S6, S7, S8, S14: which cache writes make_stateful takes, and what becomes of their readers and Results.
#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/ir/text.h"
#include "tenon/pass/state/stateful.h"
#include "tenon/translate/convert.h"
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
using test::HandDecoder;

constexpr const char* kCache = "f16[1,KV:position,2:head,4:head_size]";
constexpr const char* kRows = "f32[1,T:token,2:head,4:head_size]";

// Rows of `tokens` tokens for each cache, told apart by `first` and by the cache.
HostTensors step_inputs(int caches, int64_t tokens, int64_t first) {
  HostTensors out = {{"index", i64({1, 1, 1, tokens}, counted(tokens))}, {"beam_idx", beams()}};
  for (int i = 0; i < caches; ++i)
    out["data_" + std::to_string(i)] = f32({1, tokens, 2, 4}, counted(tokens * 8, first + 200 * i));
  return out;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- S5 ----

const test::Breaker straight_write("S5_written_straight",
                                   "the write behind a reshape goes to the cache itself");
const test::Breaker reads_the_new("S5_reader_of_what_was_appended",
                                  "another reader of the cache gets this step's rows, too");

// cache_0 is written, and read as it was before ("before"); cache_1 is written behind a reshape; the rows of
// "routed" go to an activation, as those of experts do.
HandDecoder writes_of_three_kinds() {
  HandDecoder graph;
  const Edge index = graph.input("index", "i64[1,1,1,T:token]", decoder::InputRole::kCacheIndex);
  const Edge data_0 = graph.input("data_0", kRows);
  const Edge data_1 = graph.input("data_1", kRows);
  const Edge cache_0 = graph.cache("cache_0", kCache);
  const Edge cache_1 = graph.cache("cache_1", kCache);
  graph.output("cache_0", graph.node("SET_ROWS", {data_0, index, cache_0}, kCache));
  graph.output("before", graph.node("ADD", {cache_0, cache_0}, kCache));
  const char* const flat = "f16[1,1,KV:position,8:channel]";
  const Edge hidden = graph.node("RESHAPE", {cache_1}, flat, decoder::ReshapeAttributes{});
  graph.output("cache_1", straight_write.active() ? graph.node("SET_ROWS", {data_1, index, cache_1}, kCache)
                                                  : graph.node("SET_ROWS", {data_1, index, hidden}, flat));
  const Edge routes = graph.input("routes", "i64[1,1,1,T:token]");
  const Edge doubled = graph.node("ADD", {data_1, data_1}, kRows);
  graph.output("routed", graph.node("SET_ROWS", {data_0, routes, doubled}, kRows));
  return graph;
}

ir::Pass put_s5_faults_in() {
  return fault_pass([](ir::Model& model) {
    if (reads_the_new.active()) {
      const ir::Value after = find_op(model, "Concat")->output(0);
      EXPECT_TRUE(model.set_input(*find_op(model, "Add"), 0, after).ok());
    }
  });
}

TEST(S5_CacheWrites, OnlyAWriteToAnInputIsTaken) {
  std::vector<ir::PassReport> reports;
  const ir::Model model = try_convert(writes_of_three_kinds(), {make_stateful()}, &reports).value();
  EXPECT_EQ(model.count("ReadValue"), 1);
  EXPECT_EQ(model.count("Assign"), 1);
  EXPECT_EQ(model.count("ScatterUpdate"), 2);
  EXPECT_EQ(model.count("SetRows"), 0);
  EXPECT_EQ(model.find_parameter("cache_0"), nullptr);
  EXPECT_NE(model.find_parameter("cache_1"), nullptr);
  const std::string told = reasons(reports, "make_stateful");
  EXPECT_NE(told.find("SET_ROWS.8/SetRows: it writes 'RESHAPE.7/Reshape', which is no input"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("SET_ROWS.11/SetRows: it writes 'ADD.10/Add', which is no input"), std::string::npos)
      << told;
}

TEST(S5_CacheWrites, OtherReadersGetTheGatheredPast) {
  const ir::Model model = try_convert(writes_of_three_kinds(), {make_stateful(), put_s5_faults_in()}).value();
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    HostTensors inputs = step_inputs(2, 3, 1);
    inputs["cache_1"] = op::HostTensor::make(ElementType::kF16, {1, 3, 2, 4});
    inputs["routes"] = i64({1, 1, 1, 3}, {2, 0, 1});
    HostTensors outputs = steps.run(inputs);
    EXPECT_EQ(outputs["before"].extents, (std::vector<int64_t>{1, 0, 2, 4}));
    // Rows 1…8, 9…16, 17…24 at 2, 0, 1.
    EXPECT_EQ(outputs["routed"].values(), joined(joined(counted(8, 9), counted(8, 17)), counted(8, 1)));

    inputs = step_inputs(2, 1, 51);
    inputs["cache_1"] = op::HostTensor::make(ElementType::kF16, {1, 4, 2, 4});
    inputs["routes"] = i64({1, 1, 1, 1}, {0});
    outputs = steps.run(inputs);
    std::vector<double> doubled;
    for (const double x : counted(24, 1)) doubled.push_back(2 * x);
    EXPECT_EQ(outputs["before"].values(), doubled);
    EXPECT_EQ(outputs["cache_0"].values(), joined(counted(24, 1), counted(8, 51)));
    EXPECT_EQ(outputs["cache_1"].values(), joined(counted(8, 251), std::vector<double>(24)));
  });
}

// ---- S6 ----

const test::Breaker rows_swapped("S6_rows_of_another_cache", "the first cache gets the second's rows");
const test::Breaker one_by_one("S6_rewritten_one_by_one",
                               "caches are rewritten before all of them were checked");

TEST(S6_ManyCaches, EachKeepsItsOwnRows) {
  for (const int count : {1, 2, 7}) {
    SCOPED_TRACE(count);
    const ir::Model model = try_convert(cache_writes(count),
                                        {make_stateful(), fault_pass([&](ir::Model& made) {
                                           if (!rows_swapped.active() || count < 2) return;
                                           std::vector<ir::Node*> joins;
                                           for (ir::Node* node : made.topological_order()) {
                                             if (node->is("Concat")) joins.push_back(node);
                                           }
                                           EXPECT_TRUE(made.set_input(*joins[0], 1, joins[1]->input(1)).ok());
                                         })})
                                .value();
    EXPECT_EQ(model.count("ReadValue"), count);
    EXPECT_EQ(model.results().size(), 0u);
    on_every_runtime([&](const std::string& runtime) {
      StepByStep steps(model, runtime);
      steps.run(step_inputs(count, 3, 1));
      HostTensors held = steps.run(step_inputs(count, 2, 101));
      for (int i = 0; i < count; ++i) {
        EXPECT_EQ(held["cache_" + std::to_string(i)].values(),
                  joined(counted(24, 1 + 200 * i), counted(16, 101 + 200 * i)));
      }
    });
  }
}

TEST(S6_ManyCaches, AnErrorLeavesTheModelAsItWas) {
  for (size_t bad = 0; bad < 3; ++bad) {
    std::vector<decoder::Cache> kinds(3);
    kinds[bad].kind = decoder::CacheKind::kOverwrite;
    ir::Model model = translate::translate(cache_writes(3, kinds)).value();
    const std::string before = ir::print(model);
    ir::PassContext context;
    if (one_by_one.active()) {
      EXPECT_TRUE(make_stateful({.skip_caches = {"cache_" + std::to_string(bad)}}).run(model, context).ok());
    }
    EXPECT_FALSE(make_stateful().run(model, context).ok());
    EXPECT_EQ(ir::print(model), before);
  }
}

// ---- S7 ----

const test::Breaker no_skip("S7_skips_nothing", "skip_caches is not handed on");

ir::Pass stateful_but(std::set<std::string> skipped) {
  if (no_skip.active()) skipped.clear();
  return make_stateful({.skip_caches = std::move(skipped)});
}

TEST(S7_SkipCaches, AllSkippedIsTheDefaultForm) {
  const std::string stateless = ir::print(try_convert(cache_writes(1), {}).value());
  EXPECT_EQ(ir::print(try_convert(cache_writes(1), {stateful_but({"cache_0"})}).value()), stateless);
}

TEST(S7_SkipCaches, BothFormsStandInOneGraphAndRun) {
  const ir::Model model = try_convert(cache_writes(3), {stateful_but({"cache_1"})}).value();
  EXPECT_EQ(model.count("ReadValue"), 2);
  EXPECT_EQ(model.count("ScatterUpdate"), 1);
  ASSERT_NE(model.find_parameter("cache_1"), nullptr);
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    HostTensors inputs = step_inputs(3, 3, 1);
    inputs["cache_1"] = op::HostTensor::make(ElementType::kF16, {1, 3, 2, 4});
    const op::HostTensor written = steps.run(inputs)["cache_1"];
    EXPECT_EQ(written.values(), counted(24, 201));

    inputs = step_inputs(3, 1, 51);
    inputs["index"] = i64({1, 1, 1, 1}, {2});
    inputs["cache_1"] =
        op::HostTensor::of(ElementType::kF16, {1, 4, 2, 4}, joined(written.values(), std::vector<double>(8)));
    HostTensors outputs = steps.run(inputs);
    EXPECT_EQ(outputs["cache_0"].values(), joined(counted(24, 1), counted(8, 51)));
    EXPECT_EQ(outputs["cache_1"].values(),
              joined(joined(counted(16, 201), counted(8, 251)), std::vector<double>(8)));
    EXPECT_EQ(outputs["cache_2"].values(), joined(counted(24, 401), counted(8, 451)));
  });
}

TEST(S7_SkipCaches, ANameThatNoCacheBearsIsAnError) {
  expect_error(try_convert(cache_writes(2), {stateful_but({"cache_1", "data_0"})}),
               {"skip_caches", "names of caches of the model", "'data_0'"});
}

// ---- S8 ----

const test::Breaker one_left("S8_one_result_left", "one of the cache's Results stays");
const test::Breaker by_name("S8_removed_by_name", "the Result that bears the cache's name goes");

TEST(S8_Results, AreFoundThroughTheGraph) {
  HandDecoder graph;
  const Edge index = graph.input("index", "i64[1,1,1,T:token]", decoder::InputRole::kCacheIndex);
  Edge written[2];
  for (const int i : {0, 1}) {
    const Edge data = graph.input("data_" + std::to_string(i), kRows);
    const Edge cache = graph.cache("cache_" + std::to_string(i), kCache);
    written[i] = graph.node("SET_ROWS", {data, index, cache}, kCache);
  }
  // Each cache under the other's name or under any; what is called like a cache is none.
  graph.output("cache_1", written[0]).output("logits", written[0]).output("again", written[1]);
  graph.output("cache_0", graph.node("ADD", {Edge{1, 0}, Edge{1, 0}}, kRows));
  const ir::Model model =
      try_convert(graph, {make_stateful(), fault_pass([](ir::Model& made) {
                            if (one_left.active())
                              made.add_result(find_op(made, "Concat")->output(0), "again");
                            if (by_name.active()) made.erase(*made.find_result("cache_0"));
                          })})
          .value();
  ASSERT_EQ(model.results().size(), 1u);
  EXPECT_EQ(model.results()[0]->attributes_as<ir::ResultAttributes>().name, "cache_0");
  EXPECT_TRUE(model.results()[0]->input(0).node().is("Add"));
}

// ---- S14 ----

const test::Breaker reader_of_the_past("S14_reader_of_the_past",
                                       "a reader of what was written gets the past");

TEST(S14_Readers, TheConcatServesThemAllAndTheAssign) {
  HandDecoder graph = cache_writes(1);
  const Edge written{graph.node_count() - 1, 0};
  graph.output("doubled", graph.node("ADD", {written, written}, kCache));
  graph.output("squared", graph.node("MUL", {written, written}, kCache));
  const ir::Model model =
      try_convert(graph, {make_stateful(), fault_pass([](ir::Model& made) {
                            if (!reader_of_the_past.active()) return;
                            const ir::Value past = find_op(made, "Gather")->output(0);
                            for (const int input : {0, 1})
                              EXPECT_TRUE(made.set_input(*find_op(made, "Multiply"), input, past).ok());
                          })})
          .value();
  std::vector<std::string> users;
  for (const ir::Use& use : find_op(model, "Concat")->port_uses(0)) users.emplace_back(use.user->op());
  std::sort(users.begin(), users.end());
  EXPECT_EQ(users, (std::vector<std::string>{"Add", "Add", "Assign", "Multiply", "Multiply"}));
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    steps.run(step_inputs(1, 2, 1));
    HostTensors outputs = steps.run(step_inputs(1, 1, 17));
    std::vector<double> doubled, squared;
    for (int x = 1; x <= 24; ++x) {
      doubled.push_back(2 * x);
      squared.push_back(x * x);
    }
    EXPECT_EQ(outputs["doubled"].values(), doubled);
    EXPECT_EQ(outputs["squared"].values(), squared);
  });
}

}  // namespace
}  // namespace tenon::contracts
