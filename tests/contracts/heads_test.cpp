// L1, L2, L3: heads are split, merged and swapped by one graph, wherever the tokens stand.
#include <gtest/gtest.h>

#include "tenon/cpu/backend.h"
#include "tenon/op/reshape.h"
#include "tenon/plan/plan.h"
#include "tenon/translate/convert.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using decoder::PermuteAttributes;
using decoder::PermuteCase;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using op::HostTensor;

constexpr int64_t kTokens = 5, kHeads = 3, kHeadSize = 4, kWidth = kHeads * kHeadSize;

HostTensor counted(std::vector<int64_t> extents, double first = 0) {
  HostTensor out = HostTensor::make(ElementType::kF32, extents);
  return HostTensor::of(ElementType::kF32, std::move(extents), numbers(out.element_count(), first));
}

// Gives the first Reshape another target.
ir::Pass retarget(const test::Breaker& fault, std::vector<Dim> target) {
  return fault_pass([&fault, target = std::move(target)](ir::Model& model) {
    if (!fault.active()) return;
    auto attributes = std::make_unique<op::ReshapeAttributes>();
    attributes->target = target;
    attributes->special_zero = true;
    with_attributes(model, *find_op(model, "Reshape"), std::move(attributes));
  });
}

// ---- L1 ----

const test::Breaker split_pinned("L1_leading_1", "the split writes a leading 1");
const test::Breaker split_flat("L1_rank_3", "the split drops the leading axis");

ir::Model split_heads() {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,1,T:token,12:channel]");
  graph.output("heads", graph.node("RESHAPE", {x}, "f32[1,T:token,3:head,4:head_size]",
                                   ReshapeAttributes{ReshapeCase::kSplitHeads, kHeads, kHeadSize}));
  return converted(graph, {retarget(split_pinned, {1, -1, kHeads, kHeadSize}),
                           retarget(split_flat, {-1, kHeads, kHeadSize})});
}

TEST(L1_SplitHeads, IsOneGraphForBothForms) {
  ir::Model model = split_heads();
  EXPECT_EQ(find_op(model, "Reshape")->attributes_as<op::ReshapeAttributes>().target,
            (std::vector<Dim>{0, -1, kHeads, kHeadSize}));
  EXPECT_EQ(model.find_result("heads")->input(0).type().to_string(), "f32[1,T:token,3:head,4:head_size]");
  ASSERT_TRUE(retype(model, {{"x", "f32[T:token,1,1,12:channel]"}}).ok());
  EXPECT_EQ(model.find_result("heads")->input(0).type().to_string(), "f32[T:token,1,3:head,4:head_size]");
}

TEST(L1_SplitHeads, KeepsTheOrderOfElements) {
  ir::Model model = split_heads();
  const std::vector<double> order = numbers(kTokens * kWidth);
  expect_numbers(model, {{"x", counted({1, 1, kTokens, kWidth})}},
                 {"heads", {1, kTokens, kHeads, kHeadSize}, order});
  ASSERT_TRUE(retype(model, {{"x", "f32[T:token,1,1,12:channel]"}}).ok());
  expect_numbers(model, {{"x", counted({kTokens, 1, 1, kWidth})}},
                 {"heads", {kTokens, 1, kHeads, kHeadSize}, order});
}

// ---- L2 ----

const test::Breaker merge_pinned("L2_leading_1", "the merge writes a leading 1");
const test::Breaker merge_flat("L2_rank_3", "the merge drops an axis");

ir::Model merge_heads() {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,T:token,3:head,4:head_size]");
  const auto residual = graph.input("residual", "f32[1,1,T:token,12:channel]");
  const auto merged = graph.node("RESHAPE", {x}, "f32[1,1,T:token,12:channel]",
                                 ReshapeAttributes{ReshapeCase::kMergeHeads, kHeads, kHeadSize});
  graph.output("sum", graph.node("ADD", {merged, residual}, "f32[1,1,T:token,12:channel]"));
  return converted(graph,
                   {retarget(merge_pinned, {1, 1, -1, kWidth}), retarget(merge_flat, {0, -1, kWidth})});
}

Status flatten_tokens(ir::Model& model) {
  return retype(model,
                {{"x", "f32[T:token,1,3:head,4:head_size]"}, {"residual", "f32[T:token,1,1,12:channel]"}});
}

TEST(L2_MergeHeads, IsOneGraphForBothFormsAndTheResidualKeepsIt) {
  ir::Model model = merge_heads();
  const ir::Value merged = find_op(model, "Reshape")->output(0);
  EXPECT_EQ(merged.node().attributes_as<op::ReshapeAttributes>().target,
            (std::vector<Dim>{0, 1, -1, kWidth}));
  EXPECT_EQ(merged.type().to_string(), "f32[1,1,T:token,12:channel]");
  EXPECT_EQ(model.find_result("sum")->input(0).type().to_string(), "f32[1,1,T:token,12:channel]");
  const Status flattened = flatten_tokens(model);
  ASSERT_TRUE(flattened.ok()) << flattened.error().message();
  EXPECT_EQ(merged.type().to_string(), "f32[T:token,1,1,12:channel]");
  EXPECT_EQ(model.find_result("sum")->input(0).type().to_string(), "f32[T:token,1,1,12:channel]");
}

TEST(L2_MergeHeads, KeepsTheOrderOfElements) {
  ir::Model model = merge_heads();
  std::vector<double> sums = numbers(kTokens * kWidth);
  for (double& value : sums) value = 2 * value + 100;
  expect_numbers(
      model,
      {{"x", counted({1, kTokens, kHeads, kHeadSize})}, {"residual", counted({1, 1, kTokens, kWidth}, 100)}},
      {"sum", {1, 1, kTokens, kWidth}, sums});
  const Status flattened = flatten_tokens(model);
  ASSERT_TRUE(flattened.ok()) << flattened.error().message();
  expect_numbers(
      model,
      {{"x", counted({kTokens, 1, kHeads, kHeadSize})}, {"residual", counted({kTokens, 1, 1, kWidth}, 100)}},
      {"sum", {kTokens, 1, 1, kWidth}, sums});
}

// ---- L3 ----

const test::Breaker sizes_traded("L3_heads_and_size_traded", "heads and head size trade places");
const test::Breaker not_swapped("L3_not_swapped", "heads stay behind the tokens");
const test::Breaker one_step("L3_one_step", "the sequences are split by one Reshape");
const test::Breaker case_known("L3_known_case", "the unknown case is a plain permutation");

ir::Model permuted(decoder::Decoder& graph) {
  const test::EditedDecoder edited(graph, [](decoder::NodeView& node) {
    auto* const permute = std::get_if<PermuteAttributes>(&node.attributes);
    if (!permute) return;
    if (not_swapped.active() && permute->permute_case == PermuteCase::kPlain) permute->order = {0, 1, 2, 3};
    if (sizes_traded.active()) std::swap(permute->heads, permute->head_size);
    if (sizes_traded.active() || not_swapped.active()) {
      for (Axis& axis : node.outputs[0].axes) axis = Dim::symbol("any" + axis.extent.to_string());
    }
  });
  return converted(edited, {fault_pass([](ir::Model& model) {
                     ir::Node* const transpose = find_op(model, "Transpose");
                     if (!one_step.active() || !transpose->input(0).node().is("Reshape")) return;
                     ir::Node& by_head = transpose->input(0).node();
                     auto attributes = std::make_unique<op::ReshapeAttributes>();
                     for (const Dim& dim : by_head.port_type(0).dims()) attributes->target.push_back(dim);
                     const ir::Value x = by_head.input(0).node().input(0);
                     if (!model.set_input(by_head, 0, x).ok()) throw std::runtime_error("the fault itself");
                     with_attributes(model, by_head, std::move(attributes));
                   })});
}

TEST(L3_Permute, PlainSwapsHeadsAndTokens) {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,T:token,3:head,4:head_size]");
  graph.output("out", graph.node("PERMUTE", {x}, "f32[1,3:head,T:token,4:head_size]", PermuteAttributes{}));
  expect_numbers(permuted(graph), {{"x", counted({1, 2, 3, 4})}},
                 {"out", {1, 3, 2, 4}, {0,  1,  2,  3,  12, 13, 14, 15, 4,  5,  6,  7,
                                        16, 17, 18, 19, 8,  9,  10, 11, 20, 21, 22, 23}});
}

// x [1,1,N*S,H*D], split by N sequences; or the sum of that and an input.
test::HandDecoder split_then_swap(int64_t heads, int64_t head_size, bool add_to_it = false) {
  const std::string h = std::to_string(heads), d = std::to_string(head_size);
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,1,N*S:token," + std::to_string(heads * head_size) + ":channel]");
  const auto count = graph.input("n_seq_active", "i64[1]", decoder::InputRole::kOther, "N");
  const std::string type = "f32[N:batch," + h + ":head,S:token," + d + ":head_size]";
  auto out = graph.node("PERMUTE", {x, count}, type,
                        PermuteAttributes{PermuteCase::kSplitSequencesThenSwap, {}, heads, head_size});
  if (add_to_it) out = graph.node("ADD", {out, graph.input("y", type)}, type);
  graph.output("out", out);
  return graph;
}

HostTensor sequences(double count) { return HostTensor::of(ElementType::kI64, {1}, {count}); }

TEST(L3_Permute, SplitsThenSwapsInExactOrder) {
  auto small = split_then_swap(3, 2);
  expect_numbers(permuted(small), {{"x", counted({1, 1, 2, 6})}, {"n_seq_active", sequences(1)}},
                 {"out", {1, 3, 2, 2}, {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}}, {{"S", 2}});
  auto graph = split_then_swap(3, 4);
  const ir::Model model = permuted(graph);
  expect_numbers(model, {{"x", counted({1, 1, 2, 12})}, {"n_seq_active", sequences(1)}},
                 {"out", {1, 3, 2, 4}, {0,  1,  2,  3,  12, 13, 14, 15, 4,  5,  6,  7,
                                        16, 17, 18, 19, 8,  9,  10, 11, 20, 21, 22, 23}},
                 {{"S", 2}});
}

TEST(L3_Permute, FollowsTheNumberOfActiveSequences) {
  auto graph = split_then_swap(3, 2);
  const ir::Model model = permuted(graph);
  const HostTensor x = counted({1, 1, 4, 6});
  expect_numbers(model, {{"x", x}, {"n_seq_active", sequences(1)}},
                 {"out", {1, 3, 4, 2}, {0,  1,  6,  7,  12, 13, 18, 19, 2,  3,  8,  9,
                                        14, 15, 20, 21, 4,  5,  10, 11, 16, 17, 22, 23}},
                 {{"S", 4}});
  expect_numbers(model, {{"x", x}, {"n_seq_active", sequences(2)}},
                 {"out", {2, 3, 2, 2}, {0,  1,  6,  7,  2,  3,  8,  9,  4,  5,  10, 11,
                                        12, 13, 18, 19, 14, 15, 20, 21, 16, 17, 22, 23}},
                 {{"S", 2}});
}

TEST(L3_Permute, SplitsByTheCountFirstAndByHeadsNext) {
  auto graph = split_then_swap(3, 4);
  const ir::Model model = permuted(graph);
  const ir::Node& by_head = find_op(model, "Transpose")->input(0).node();
  ASSERT_TRUE(by_head.is("Reshape"));
  EXPECT_EQ(by_head.attributes_as<op::ReshapeAttributes>().target, (std::vector<Dim>{0, -1, 3, 4}));
  EXPECT_TRUE(by_head.attributes_as<op::ReshapeAttributes>().special_zero);
  const ir::Node& by_sequence = by_head.input(0).node();
  ASSERT_TRUE(by_sequence.is("Reshape"));
  EXPECT_EQ(by_sequence.attributes_as<op::ReshapeAttributes>().target,
            (std::vector<Dim>{Dim::symbol("N"), -1}));
  const TensorType& type = model.find_result("out")->input(0).type();
  EXPECT_EQ(type.dim(1), Dim(3));
  EXPECT_EQ(type.dim(3), Dim(4));

  // A view is copied where it is itself an output: here it is read.
  auto read = split_then_swap(3, 4, /*add_to_it=*/true);
  const ir::Model summed = permuted(read);
  const auto backend = cpu::make_backend(1).value();
  plan::PlanOptions options;
  for (const char* const symbol : {"N", "S"}) options.symbols[symbol] = {1, 8};
  const auto plan = plan::make_plan(summed, backend->target(), options).value();
  ASSERT_EQ(plan->lists.front().steps.size(), 1u) << plan::print(*plan);
  EXPECT_EQ(plan->lists.front().steps[0].op, "Add");
}

TEST(L3_Permute, AnUnknownCaseIsAnErrorThatNamesIt) {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,T:token,3:head,4:head_size]");
  const auto unknown = case_known.active() ? PermuteCase::kPlain : static_cast<PermuteCase>(7);
  graph.output("out", graph.node("PERMUTE", {x}, "f32[1,3:head,T:token,4:head_size]",
                                 PermuteAttributes{unknown, {0, 2, 1, 3}, 3, 4}));
  const auto model = translate::translate(graph);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message(), "ggml PERMUTE 'PERMUTE.1': wanted a known case of the op, found case 7");
}

}  // namespace
}  // namespace tenon::contracts
