// L9: the rows whose logits are wanted, chosen by inp_out_ids, and as GenAI and a paged step have them.
#include <gtest/gtest.h>

#include "tenon/op/gather.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/contracts/tiny_transformer.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using decoder::Edge;
using op::HostTensor;
using op::HostTensors;
using pass::make_stateful;

const test::Breaker another_row("L9_another_row", "each row is the one after the last token's");
const test::Breaker rows_in_order("L9_rows_in_order", "the wanted rows are taken in ascending order");
const test::Breaker batched("L9_batched_gather", "the selections keep their batched Gather");

const std::vector<double> kIds = {7, 2, 5, 0, 1, 3};  // of two sequences

HostTensors raw_inputs(const std::vector<double>& ids, const std::vector<double>& rows) {
  const auto tokens = static_cast<int64_t>(ids.size());
  const auto cache = HostTensor::make(ElementType::kF32, {1, tokens, 2, 8});
  return {{"inp_tokens", i32({1, 1, 1, tokens}, ids)},
          {"inp_pos", i32({1, 1, 1, tokens}, counted(tokens))},
          {"inp_out_ids", i32({1, 1, 1, static_cast<int64_t>(rows.size())}, rows)},
          {"inp_kv_idx", i64({1, 1, 1, tokens}, counted(tokens))},
          {"self_kq_mask", HostTensor::make(ElementType::kF32, {1, 1, tokens, tokens})},
          {"cache_k_l0", cache},
          {"cache_v_l0", cache}};
}

// Logits of each row; rows are 9 long.
std::vector<double> raw_logits(const std::string& runtime, const std::vector<double>& ids,
                               std::vector<double> rows) {
  if (rows_in_order.active()) std::sort(rows.begin(), rows.end());
  const ir::Model model = try_convert(TinyTransformer().decoder(), {}).value();
  HostTensor logits = StepByStep(model, runtime).run(raw_inputs(ids, rows))["logits"];
  EXPECT_EQ(logits.extents, (std::vector<int64_t>{1, 1, static_cast<int64_t>(rows.size()), 9}));
  return logits.values();
}

std::vector<double> row(const std::vector<double>& logits, int64_t index) {
  const auto first = logits.begin() + 9 * index;
  return {first, first + 9};
}

void expect_close(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST(L9_OutputRows, RawAreAnyInAnyOrder) {
  on_every_runtime([](const std::string& runtime) {
    const std::vector<double> all = raw_logits(runtime, {7, 2, 5}, {0, 1, 2});
    const std::vector<double> chosen = raw_logits(runtime, {7, 2, 5}, {2, 0, 2});
    expect_close(row(chosen, 0), row(all, 2));
    expect_close(row(chosen, 1), row(all, 0));
    expect_close(row(chosen, 2), row(all, 2));
    EXPECT_GT(std::abs(all[0] - all[18]), 1e-2);  // rows that differ
  });
}

ir::Pass put_faults_in() {
  return fault_pass([](ir::Model& model) {
    if (!another_row.active()) return;
    // b·T + T in the place of b·T + (T - 1)
    for (ir::Node* const node : model.topological_order()) {
      if (!node->is("Subtract") || !node->name().starts_with("last_rows")) continue;
      EXPECT_TRUE(model.replace_uses(node->output(0), node->input(0)).ok());
      return;
    }
  });
}

std::vector<ir::Pass> genai(std::vector<ir::Pass> then = {}) {
  std::vector<ir::Pass> out = {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(),
                               put_faults_in()};
  out.insert(out.end(), then.begin(), then.end());
  return out;
}

TEST(L9_OutputRows, OfABatchAreTheLastOfEachSequence) {
  const ir::Model model = try_convert(TinyTransformer().decoder(), genai()).value();
  on_every_runtime([&](const std::string& runtime) {
    const std::vector<double> first(kIds.begin(), kIds.begin() + 3), second(kIds.begin() + 3, kIds.end());
    const std::vector<double> expected_1 = row(raw_logits(runtime, first, {0, 1, 2}), 2);
    const std::vector<double> expected_2 = row(raw_logits(runtime, second, {0, 1, 2}), 2);
    HostTensor logits = StepByStep(model, runtime).run(genai_inputs(1, first))["logits"];
    EXPECT_EQ(logits.extents, (std::vector<int64_t>{1, 1, 9}));
    expect_close(logits.values(), expected_1);
    logits = StepByStep(model, runtime).run(genai_inputs(2, kIds))["logits"];
    EXPECT_EQ(logits.extents, (std::vector<int64_t>{2, 1, 9}));
    expect_close(row(logits.values(), 0), expected_1);
    expect_close(row(logits.values(), 1), expected_2);
  });
}

TEST(L9_OutputRows, OfAPagedStepAreAllInOrder) {
  const ir::Model model =
      try_convert(TinyTransformer().decoder(), genai({pass::sdpa_to_paged({.block_size = 4})})).value();
  on_every_runtime([&](const std::string& runtime) {
    const std::vector<double> ids(kIds.begin(), kIds.begin() + 3);
    const auto cache = HostTensor::make(ElementType::kF32, {1, 2, 4, 8});
    const HostTensor logits = StepByStep(model, runtime)
                                  .run({{"input_ids", i64({3}, ids)},
                                        {"position_ids", i64({3}, {0, 1, 2})},
                                        {"past_lens", i32({1}, {0})},
                                        {"subsequence_begins", i32({2}, {0, 3})},
                                        {"block_indices", i32({1}, {0})},
                                        {"block_indices_begins", i32({2}, {0, 1})},
                                        {"max_context_len", i32({}, {3})},
                                        {"key_cache.0", cache},
                                        {"value_cache.0", cache}})["logits"];
    EXPECT_EQ(logits.extents, (std::vector<int64_t>{3, 1, 9}));
    expect_close(logits.values(), raw_logits(runtime, ids, {0, 1, 2}));
  });
}

// A runtime that feeds prompts in steps leaves inp_out_ids where it is.
TEST(L9_OutputRows, OfAPagedStepAreChosenWhereTheCallerWants) {
  const ir::Model model =
      try_convert(TinyTransformer().decoder(),
                  {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai({.chosen_rows = true}),
                   pass::sdpa_to_paged({.block_size = 4})})
          .value();
  EXPECT_EQ(model.find_result("logits")->input(0).type().dims(), (std::vector<Dim>{Dim::symbol("R"), 1, 9}));
  on_every_runtime([&](const std::string& runtime) {
    HostTensors inputs = paged_inputs({7, 2, 5});
    inputs["inp_out_ids"] = i32({1, 1, 1, 2}, {2, 0});
    const HostTensor logits = StepByStep(model, runtime).run(inputs)["logits"];
    EXPECT_EQ(logits.extents, (std::vector<int64_t>{2, 1, 9}));
    expect_close(logits.values(), raw_logits(runtime, {7, 2, 5}, {2, 0}));
  });
}

// Unsqueeze(1) ← optional Convert ← Gather(Reshape([-1,16]), Reshape([-1,1])).
void expect_flat_selection(const ir::Node& unsqueeze, bool convert) {
  ASSERT_TRUE(unsqueeze.is("Unsqueeze"));
  EXPECT_TRUE(unsqueeze.name().starts_with("GET_ROWS.")) << unsqueeze.name();
  EXPECT_EQ(unsqueeze.attributes_as<op::UnsqueezeAttributes>().axes, std::vector<int64_t>{1});
  EXPECT_EQ(unsqueeze.port_type(0).dims(), (std::vector<Dim>{Dim::symbol("B"), 1, 1, 16}));
  const ir::Node* gather = &unsqueeze.input(0).node();
  EXPECT_EQ(gather->is("Convert"), convert);
  if (gather->is("Convert")) gather = &gather->input(0).node();
  ASSERT_TRUE(gather->is("Gather"));
  EXPECT_EQ(gather->attributes_as<op::GatherAttributes>().axis, 0);
  EXPECT_EQ(gather->attributes_as<op::GatherAttributes>().batch_dims, 0);
  const std::vector<std::vector<Dim>> targets = {{-1, 16}, {-1, 1}};
  for (const int input : {0, 1}) {
    const ir::Node& reshape = gather->input(input).node();
    ASSERT_TRUE(reshape.is("Reshape"));
    EXPECT_EQ(reshape.attributes_as<op::ReshapeAttributes>().target, targets[static_cast<size_t>(input)]);
  }
}

TEST(L9_OutputRows, EverySelectionByThemIsFlattenedAndNoOther) {
  test::HandDecoder graph = TinyTransformer().decoder();
  const Edge hidden = graph.input("hidden", "f16[1,1,T:token,16:channel]");
  const Edge rows{2, 0};
  const Edge others = graph.input("other_rows", "i32[1,1,1,S:token]");
  graph.output("halves", graph.node("GET_ROWS", {hidden, rows}, "f32[1,1,R:token,16:channel]"));
  graph.output("others", graph.node("GET_ROWS", {hidden, others}, "f16[1,1,S:token,16:channel]"));
  std::vector<ir::Pass> passes = genai();
  if (batched.active()) passes.erase(passes.begin() + 1);
  const auto model = try_convert(graph, passes);
  ASSERT_TRUE(model.ok()) << model.error().message();

  const ir::Node& reshape = model->find_result("logits")->input(0).node();
  ASSERT_TRUE(reshape.is("Reshape"));
  EXPECT_EQ(reshape.attributes_as<op::ReshapeAttributes>().target, (std::vector<Dim>{0, -1, 9}));
  EXPECT_TRUE(reshape.attributes_as<op::ReshapeAttributes>().special_zero);
  const ir::Node& product = reshape.input(0).node();
  const ir::Node& sum =
      product.input(0).node().is("Constant") ? product.input(1).node() : product.input(0).node();
  ASSERT_TRUE(sum.is("Add"));
  for (const int input : {0, 1})
    expect_flat_selection(sum.input(input).node(), false);  // attention, residual
  expect_flat_selection(model->find_result("halves")->input(0).node(), true);

  int batched_gathers = 0;
  for (const ir::Node* node : model->topological_order()) {
    if (node->is("Gather")) batched_gathers += node->attributes_as<op::GatherAttributes>().batch_dims > 0;
  }
  EXPECT_EQ(batched_gathers, 1);
  const ir::Node& other = model->find_result("others")->input(0).node();
  EXPECT_EQ(other.attributes_as<op::UnsqueezeAttributes>().axes, std::vector<int64_t>{0});
  EXPECT_EQ(other.input(0).node().attributes_as<op::GatherAttributes>().batch_dims, 1);
}

}  // namespace
}  // namespace tenon::contracts
