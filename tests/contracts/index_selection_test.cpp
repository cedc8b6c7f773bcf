// T4, T5, T6: ARGSORT and TOP_K, whose ids are port 1 of a TopK.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tenon/op/gather.h"
#include "tenon/op/topk.h"
#include "tenon/translate/convert.h"
#include "tests/conform/runtimes.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using decoder::ArgsortAttributes;
using decoder::SortOrder;
using decoder::TopKAttributes;
using op::HostTensor;

// x and "ids" of it.
test::HandDecoder selection(std::string_view op, std::string_view x, std::string_view ids,
                            decoder::NodeAttributes attributes) {
  test::HandDecoder graph;
  graph.output("ids", graph.node(op, {graph.input("x", x)}, ids, std::move(attributes)));
  return graph;
}

HostTensor row(const std::vector<double>& values) {
  return HostTensor::of(ElementType::kF32, {1, 1, 1, static_cast<int64_t>(values.size())}, values);
}

// Whether `k` is Squeeze(Gather(ShapeOf(x))).
bool is_measured(const ir::Value& k, const ir::Value& x) {
  if (!k.node().is("Squeeze") || !k.node().input(0).node().is("Gather")) return false;
  const ir::Node& gather = k.node().input(0).node();
  return gather.input(0).node().is("ShapeOf") && gather.input(0).node().input(0) == x;
}

// ---- T4 ----

const test::Breaker turned_round("T4_order_turned_round", "the other order is sorted by");
const test::Breaker rank_lost("T4_rank_lost", "the decoder does not know the rank");
const test::Breaker extent_fixed("T4_length_fixed", "the dynamic last dimension is a constant 5");
const test::Breaker order_forgotten("T4_order_forgotten", "an unknown order is taken for ascending");

Result<ir::Model> sorted(std::string_view x, std::string_view ids, SortOrder order, bool rank_known = true) {
  const auto graph = selection("ARGSORT", x, ids, ArgsortAttributes{order, rank_known});
  return translate::translate(test::EditedDecoder(graph, [](decoder::NodeView& node) {
    if (auto* sort = std::get_if<ArgsortAttributes>(&node.attributes)) {
      if (turned_round.active() && sort->order != SortOrder::kOther)
        sort->order = sort->order == SortOrder::kAscending ? SortOrder::kDescending : SortOrder::kAscending;
      if (order_forgotten.active() && sort->order == SortOrder::kOther) sort->order = SortOrder::kAscending;
      if (rank_lost.active()) sort->rank_known = false;
    }
    Dim& last = node.outputs[0].axes.back().extent;
    if (extent_fixed.active() && last == Dim::symbol("N")) last = 5;
  }));
}

TEST(T4_Argsort, KIsTheWholeLastDimensionMeasuredInTheGraph) {
  const ir::Model model = sorted("f32[1,1,4,N]", "i32[1,1,4,N]", SortOrder::kAscending).value();
  const ir::Node& topk = *find_op(model, "TopK");
  EXPECT_TRUE(is_measured(topk.input(1), topk.input(0)));
  EXPECT_EQ(topk.port_type(1).to_string(), "i32[1,1,4,N]");
}

TEST(T4_Argsort, SortsTheLastAxis) {
  const auto axis = [](std::string_view x, std::string_view ids, bool rank_known) {
    const ir::Model model = sorted(x, ids, SortOrder::kDescending, rank_known).value();
    return find_op(model, "TopK")->attributes_as<op::TopKAttributes>().axis;
  };
  EXPECT_EQ(axis("f32[6,7]", "i32[6,7]", true), 1);
  EXPECT_EQ(axis("f32[5,6,7]", "i32[5,6,7]", true), 2);
  EXPECT_EQ(axis("f32[4,5,6,7]", "i32[4,5,6,7]", true), 3);
  EXPECT_EQ(axis("f32[4,5,6,7]", "i32[4,5,6,7]", false), 3);  // ggml's four axes
}

TEST(T4_Argsort, AscendingIsMinAndDescendingMax) {
  const auto mode = [](SortOrder order) {
    const ir::Model model = sorted("f32[1,1,4,7]", "i32[1,1,4,7]", order).value();
    return find_op(model, "TopK")->attributes_as<op::TopKAttributes>().mode;
  };
  EXPECT_EQ(mode(SortOrder::kAscending), op::TopKMode::kMin);
  EXPECT_EQ(mode(SortOrder::kDescending), op::TopKMode::kMax);
}

TEST(T4_Argsort, AnotherOrderIsAnErrorThatNamesIt) {
  const Result<ir::Model> model = sorted("f32[1,1,4,7]", "i32[1,1,4,7]", SortOrder::kOther);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message(), "ggml ARGSORT 'ARGSORT.1': wanted a known case of the op, found case 2");
}

TEST(T4_Argsort, DistinctValuesComeInExactOrder) {
  const ir::Model up = sorted("f32[1,1,R,N]", "i32[1,1,R,N]", SortOrder::kAscending).value();
  const ir::Model down = sorted("f32[1,1,R,N]", "i32[1,1,R,N]", SortOrder::kDescending).value();
  const auto x = HostTensor::of(ElementType::kF32, {1, 1, 2, 5}, {1, 9, 3, 7, 5, -2, 0, -8, 4, -4});
  expect_numbers(up, {{"x", x}}, {"ids", {1, 1, 2, 5}, {0, 2, 4, 3, 1, 2, 4, 0, 1, 3}});
  expect_numbers(down, {{"x", x}}, {"ids", {1, 1, 2, 5}, {1, 3, 4, 2, 0, 3, 1, 0, 4, 2}});
  expect_numbers(up, {{"x", row({5, 2, 8, 1, 9, 0, 7})}}, {"ids", {1, 1, 1, 7}, {5, 3, 1, 0, 6, 2, 4}});
}

TEST(T4_Argsort, EqualValuesComeInAnyOrder) {
  const std::vector<double> values = {4, 1, 4, 2, 1, 4};
  const ir::Model model = sorted("f32[1,1,1,N]", "i32[1,1,1,N]", SortOrder::kAscending).value();
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    std::vector<double> ids =
        conform::run_on(runtime, model, {{"x", row(values)}}, {}).value().outputs.at("ids").values();
    std::vector<double> gathered;
    for (const double id : ids) gathered.push_back(values.at(static_cast<size_t>(id)));
    EXPECT_EQ(gathered, (std::vector<double>{1, 1, 2, 4, 4, 4}));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(ids, (std::vector<double>{0, 1, 2, 3, 4, 5}));
  }
}

// ---- T5 ----

const test::Breaker attribute_lost("T5_attribute_lost", "the decoder's k is forgotten");
const test::Breaker one_more("T5_extent_plus_1", "one id more is declared");
const test::Breaker same_symbol("T5_same_symbol", "an output extent of its own is taken for the input's");

enum class KFrom { kAttribute, kValue, kOutput };

// TOP_K of x [1,1,2,N]; k 3 by attribute, as a second input of symbol K, or from the output's extent alone.
Result<ir::Model> chosen(KFrom from, std::string_view x, std::string_view ids) {
  test::HandDecoder graph;
  std::vector<decoder::Edge> inputs = {graph.input("x", x)};
  if (from == KFrom::kValue) inputs.push_back(graph.input("k", "i32[1]", decoder::InputRole::kOther, "K"));
  graph.output("ids", graph.node("TOP_K", inputs, ids, TopKAttributes{from == KFrom::kAttribute ? 3 : 0}));
  return translate::translate(test::EditedDecoder(graph, [](decoder::NodeView& node) {
    if (node.op != "TOP_K") return;
    Dim& extent = node.outputs[0].axes.back().extent;
    if (attribute_lost.active()) std::get<TopKAttributes>(node.attributes).k = 0;
    if (one_more.active() && extent.is_constant()) extent = extent + Dim(1);
    if (same_symbol.active() && extent == Dim::symbol("M")) extent = Dim::symbol("N");
    if (same_symbol.active() && node.inputs.size() == 2) node.inputs.pop_back();
  }));
}

TEST(T5_TopK, KIsTheAttributeTheInputOrTheOutputsExtent) {
  const auto k = [](const Result<ir::Model>& model) { return find_op(*model, "TopK")->input(1); };
  const auto constant = [](const ir::Value& value) {
    return value.node().is("Constant") ? ir::value_as_dims(value)->front() : Dim::symbol("none");
  };
  EXPECT_EQ(constant(k(chosen(KFrom::kAttribute, "f32[1,1,2,N]", "i32[1,1,2,M]"))), Dim(3));
  EXPECT_EQ(constant(k(chosen(KFrom::kOutput, "f32[1,1,2,N]", "i32[1,1,2,2]"))), Dim(2));
  const auto given = chosen(KFrom::kValue, "f32[1,1,2,N]", "i32[1,1,2,K]");
  ASSERT_TRUE(k(given).node().is("Squeeze"));
  EXPECT_EQ(k(given).node().input(0).node().name(), "k");
  const auto same = chosen(KFrom::kOutput, "f32[1,1,2,N]", "i32[1,1,2,N]");
  EXPECT_TRUE(is_measured(k(same), same->find_parameter("x")->output(0)));
}

TEST(T5_TopK, AnExtentThatIsNotTheInputsIsAnError) {
  const Result<ir::Model> model = chosen(KFrom::kOutput, "f32[1,1,2,N]", "i32[1,1,2,M]");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(
      model.error().message(),
      "ggml TOP_K 'TOP_K.1': wanted k by attribute, by a second input, or by the output's extent, found an "
      "output of i32[1,1,2,M] from Parameter %x:0 f32[1,1,2,N]");
}

// The ids of each row in ascending order: TOP_K promises a set.
std::vector<double> sorted_rows(std::vector<double> ids, int64_t k) {
  for (auto first = ids.begin(); first != ids.end(); first += k) std::sort(first, first + k);
  return ids;
}

TEST(T5_TopK, OneGraphRunsWithEveryK) {
  const ir::Model model = chosen(KFrom::kValue, "f32[1,1,2,N]", "i32[1,1,2,K]").value();
  const auto x =
      HostTensor::of(ElementType::kF32, {1, 1, 2, 8}, {1, 9, 3, 7, 5, 8, 2, 4, -1, -9, 6, -7, -5, 0, -2, 2});
  const std::pair<int64_t, std::vector<double>> expected[] = {{3, {1, 3, 5, 2, 5, 7}},
                                                              {5, {1, 3, 4, 5, 7, 0, 2, 5, 6, 7}}};
  for (const auto& [k, ids] : expected) {
    for (const std::string& runtime : conform::runtimes()) {
      SCOPED_TRACE(runtime + ", k = " + std::to_string(k));
      const auto k_value = HostTensor::of(ElementType::kI32, {1}, {static_cast<double>(k)});
      const auto run = conform::run_on(runtime, model, {{"x", x}, {"k", k_value}}, {});
      ASSERT_TRUE(run.ok()) << run.error().message();
      EXPECT_EQ(run->outputs.at("ids").extents, (std::vector<int64_t>{1, 1, 2, k}));
      EXPECT_EQ(sorted_rows(run->outputs.at("ids").values(), k), ids);
    }
  }
}

TEST(T5_TopK, AnExtentMayStayDynamicThroughConversion) {
  const ir::Model model = converted(selection(
      "TOP_K", "f32[1,1,1,N]", one_more.active() ? "i32[1,1,1,N+1]" : "i32[1,1,1,N]", TopKAttributes{}));
  const ir::Value ids = model.find_result("ids")->input(0);
  EXPECT_EQ(ids.port(), 1);
  EXPECT_EQ(ids.type().to_string(), "i32[1,1,1,N]");
  for (const auto& values :
       {std::vector<double>{1, 9, 3, 7, 5}, std::vector<double>{1, 9, 3, 7, 5, 8, 2, 4}}) {
    const auto n = static_cast<int64_t>(values.size());
    for (const std::string& runtime : conform::runtimes()) {
      SCOPED_TRACE(runtime);
      const auto run = conform::run_on(runtime, model, {{"x", row(values)}}, {});
      ASSERT_TRUE(run.ok()) << run.error().message();
      EXPECT_EQ(sorted_rows(run->outputs.at("ids").values(), n), numbers(n));
    }
  }
}

// ---- T6 ----

const test::Breaker values_instead("T6_port_0", "the values are taken for the ids");
const test::Breaker smallest("T6_smallest", "the smallest are selected");
const test::Breaker k_cut("T6_k_cut", "a k beyond the row is cut to its length");

ir::Model top(const std::string& x, const std::string& ids, int64_t k) {
  test::HandDecoder graph;
  std::vector<decoder::Edge> inputs = {graph.input("x", x)};
  if (k == 0) inputs.push_back(graph.input("k", "i32[1]", decoder::InputRole::kOther, "K"));
  graph.output("ids", graph.node("TOP_K", inputs, ids, TopKAttributes{k}));
  return converted(graph, {fault_pass([](ir::Model& model) {
                     ir::Node& topk = *find_op(model, "TopK");
                     if (values_instead.active()) {
                       if (!model.set_input(*model.find_result("ids"), 0, topk.output(0)).ok())
                         throw std::runtime_error("the fault itself");
                     }
                     if (smallest.active()) {
                       auto attributes =
                           std::make_unique<op::TopKAttributes>(topk.attributes_as<op::TopKAttributes>());
                       attributes->mode = op::TopKMode::kMin;
                       with_attributes(model, topk, std::move(attributes));
                     }
                   })});
}

// Whether `ids` are a selection of {1, 3, 4} in some order.
void expect_1_3_4(std::vector<double> ids) {
  EXPECT_EQ(ids.size(), 3u);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<double>{1, 3, 4}));
}

TEST(T6_TopK, PromisesTheSet) {
  const ir::Model model = top("f32[1,1,1,5]", "i32[1,1,1,3]", 3);
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    const HostTensor ids =
        conform::run_on(runtime, model, {{"x", row({1, 9, 3, 7, 5})}}, {}).value().outputs.at("ids");
    EXPECT_EQ(ids.element, ElementType::kI32);
    std::vector<double> values = ids.values();
    expect_1_3_4(values);
    std::swap(values.at(0), values.at(1));  // as real ggml returns them
    expect_1_3_4(values);
  }
}

TEST(T6_TopK, OfEqualValuesAnyIsSelected) {
  const std::vector<double> values = {4, 2, 4, 6, 4, 1};
  const ir::Model model = top("f32[1,1,1,6]", "i32[1,1,1,3]", 3);
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    std::vector<double> ids =
        conform::run_on(runtime, model, {{"x", row(values)}}, {}).value().outputs.at("ids").values();
    std::vector<double> selected;
    for (const double id : ids) selected.push_back(values.at(static_cast<size_t>(id)));
    std::sort(selected.begin(), selected.end());
    EXPECT_EQ(selected, (std::vector<double>{4, 4, 6}));
    std::sort(ids.begin(), ids.end());
    EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  }
}

TEST(T6_TopK, AKBeyondTheRowIsRefusedNamingBoth) {
  const int64_t k = k_cut.active() ? 5 : 6;
  const auto ids = "i32[1,1,1," + std::to_string(k) + "]";
  const auto known = translate::translate(selection("TOP_K", "f32[1,1,1,5]", ids, TopKAttributes{k}));
  ASSERT_FALSE(known.ok());
  EXPECT_EQ(known.error().message(),
            "ggml TOP_K 'TOP_K.1': wanted k of at most the last extent, 5, found k = 6");

  const ir::Model model = top("f32[1,1,1,N]", "i32[1,1,1,K]", 0);
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    const auto k_value = HostTensor::of(ElementType::kI32, {1}, {static_cast<double>(k)});
    const auto run = conform::run_on(runtime, model, {{"x", row({1, 9, 3, 7, 5})}, {"k", k_value}}, {});
    ASSERT_FALSE(run.ok());
    const std::string message = run.error().message();
    EXPECT_NE(message.find("k in [0, 5]"), std::string::npos) << message;
    EXPECT_NE(message.find("k = 6"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tenon::contracts
