// S12, S13: the input that reorders the batch.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/gather.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/cache_graphs.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;
using op::HostTensors;
using pass::make_stateful;

// ---- S12 ----

const test::Breaker no_gather("S12_no_gather", "the Gather by beam_idx is taken out");
const test::Breaker any_batch("S12_any_batch", "the declared batch does not bind the beams");

ir::Pass put_s12_faults_in() {
  return fault_pass([](ir::Model& model) {
    for (ir::Node* const node : model.topological_order()) {
      if (!no_gather.active() || !node->is("Gather") || !node->input(0).node().is("ReadValue")) continue;
      EXPECT_TRUE(model.replace_uses(node->output(0), node->input(0)).ok());
    }
    if (any_batch.active()) model.symbols().erase("B");
  });
}

std::vector<ir::Node*> beam_gathers(const ir::Model& model) {
  std::vector<ir::Node*> out;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is("Gather") && node->input(1).node().is("Parameter") &&
        node->input(1).node().attributes_as<ir::ParameterAttributes>().name == "beam_idx")
      out.push_back(node);
  }
  return out;
}

TEST(S12_Beams, TheGatherStaysForABatchOfOneAfterTheWholePipeline) {
  const std::vector<ir::Pass> forms[] = {
      {make_stateful(), put_s12_faults_in()},
      {make_stateful(), pass::adapt_to_genai(), put_s12_faults_in()},
      {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(), put_s12_faults_in()}};
  for (const auto& form : forms) {
    const ir::Model model = try_convert(cached_lookup(), form).value();
    const std::vector<ir::Node*> gathers = beam_gathers(model);
    ASSERT_EQ(gathers.size(), 1u);
    EXPECT_EQ(gathers[0]->attributes_as<op::GatherAttributes>().axis, 0);
    EXPECT_TRUE(gathers[0]->input(0).node().is("ReadValue"));
  }
}

TEST(S12_Beams, TheDeclaredBatchRefusesAnother) {
  const ir::Model model = try_convert(cache_writes(1), {make_stateful(), put_s12_faults_in()}).value();
  on_every_runtime([&](const std::string&) {
    const auto outputs = op::evaluate(model, {{"data_0", f32({1, 2, 2, 4}, counted(16))},
                                              {"index", i64({1, 1, 1, 2}, {0, 1})},
                                              {"beam_idx", beams({0, 0, 0})}});
    ASSERT_FALSE(outputs.ok());
    EXPECT_NE(outputs.error().message().find("beam_idx"), std::string::npos) << outputs.error().message();
  });
}

HostTensors step(const std::vector<double>& ids, int64_t past, const std::vector<double>& beam) {
  const auto sequences = static_cast<int64_t>(beam.size());
  const auto tokens = static_cast<int64_t>(ids.size()) / sequences;
  return {{"input_ids", i64({sequences, tokens}, ids)},
          {"attention_mask", HostTensor::make(ElementType::kI64, {sequences, past + tokens})},
          {"position_ids", HostTensor::make(ElementType::kI64, {sequences, tokens})},
          {"beam_idx", beams(beam)}};
}

// What the cache holds of sequences of tokens: row r of the table is 10r … 10r + 7.
std::vector<double> rows_of(const std::vector<std::vector<int>>& sequences) {
  std::vector<double> out;
  for (const auto& sequence : sequences) {
    for (const int token : sequence) {
      for (int i = 0; i < 8; ++i) out.push_back(10 * token + i);
    }
  }
  return out;
}

TEST(S12_Beams, HistoriesFollowOverThreeSteps) {
  const ir::Model model = try_convert(cached_lookup(), {make_stateful({.dynamic_batch = true}),
                                                        pass::adapt_to_genai(), put_s12_faults_in()})
                              .value();
  const auto& type = find_op(model, "ReadValue")->port_type(0);
  EXPECT_EQ(type.to_string(), "f16[B_past:batch,KV-T:position,2:head,4:head_size]");
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(model, runtime);
    // One empty history is spread over three beams.
    HostTensor held = steps.run(step({1, 2, 3, 4, 5, 6}, 0, {0, 0, 0}))["cache"];
    EXPECT_EQ(held.extents, (std::vector<int64_t>{3, 2, 2, 4}));
    EXPECT_EQ(held.values(), rows_of({{1, 2}, {3, 4}, {5, 6}}));
    held = steps.run(step({7, 8}, 2, {2, 0}))["cache"];
    EXPECT_EQ(held.values(), rows_of({{5, 6, 7}, {1, 2, 8}}));
    held = steps.run(step({0, 3, 1}, 3, {1, 1, 0}))["cache"];
    EXPECT_EQ(held.values(), rows_of({{1, 2, 8, 0}, {1, 2, 8, 3}, {5, 6, 7, 1}}));
  });
}

// ---- S13 ----

const test::Breaker named_otherwise("S13_named_otherwise",
                                    "make_stateful is told another name for the input");
const test::Breaker taken_in_two_parts("S13_taken_in_two_parts",
                                       "the first call leaves a cache to the second");
const test::Breaker takes_all("S13_takes_all", "caches that are to be skipped are taken");

pass::StatefulOptions named(std::string name) {
  pass::StatefulOptions out;
  out.beam_name = named_otherwise.active() ? "other" : std::move(name);
  return out;
}

test::HandDecoder with_input(std::string_view name, std::string_view type) {
  test::HandDecoder graph = cache_writes(2);
  graph.input(std::string(name), type);
  return graph;
}

TEST(S13_BeamInput, IsReusedIfItFits) {
  const ir::Model model =
      try_convert(with_input("beam_idx", "i32[S]"), {make_stateful(named("beam_idx"))}).value();
  EXPECT_EQ(input_names(model), (std::vector<std::string>{"index", "data_0", "data_1", "beam_idx"}));
  EXPECT_EQ(beam_gathers(model).size(), 2u);
}

TEST(S13_BeamInput, OfAnotherTypeOrRankIsAnError) {
  for (const char* const type : {"i64[S]", "f32[S]", "i32[1,S]", "i32[]"}) {
    SCOPED_TRACE(type);
    expect_error(try_convert(with_input("beam_idx", type), {make_stateful(named("beam_idx"))}),
                 {"input 'beam_idx'", "i32 of rank 1", type, "beam_name"});
  }
}

TEST(S13_BeamInput, IsMadeOnceUnderTheAskedName) {
  const ir::Model model = try_convert(cache_writes(7), {make_stateful(named("parents"))}).value();
  int made = 0;
  for (const ir::Node* node : model.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    if (attributes.role != ir::ParameterRole::kBeamIndices) continue;
    ++made;
    EXPECT_EQ(attributes.name, "parents");
    EXPECT_EQ(node->port_uses(0).size(), 7u);
  }
  EXPECT_EQ(made, 1);
}

TEST(S13_BeamInput, IsNotMadeWhenNothingWasConverted) {
  pass::StatefulOptions options;
  if (!takes_all.active()) options.skip_caches = {"cache_0", "cache_1"};
  const ir::Model model = try_convert(cache_writes(2), {make_stateful(options)}).value();
  EXPECT_EQ(model.find_parameter("beam_idx"), nullptr);
}

TEST(S13_BeamInput, ASecondMakeStatefulChangesNothing) {
  pass::StatefulOptions first;
  if (taken_in_two_parts.active()) first.skip_caches = {"cache_1"};
  const std::string once = ir::print(try_convert(cache_writes(2), {make_stateful()}).value());
  std::vector<ir::PassReport> reports;
  const ir::Model twice =
      try_convert(cache_writes(2), {make_stateful(first), make_stateful()}, &reports).value();
  EXPECT_EQ(ir::print(twice), once);
  EXPECT_TRUE(reports.at(0).changed);
  EXPECT_FALSE(reports.at(1).changed);
}

}  // namespace
}  // namespace tenon::contracts
