// L7, L8: the axis that a lookup by tokens restores follows the ids.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/gather.h"
#include "tenon/op/op.h"
#include "tenon/op/squeeze.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tenon/pass/state/token_axes.h"
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

std::vector<int64_t> axes_of(const ir::Node& unsqueeze) {
  return unsqueeze.attributes_as<op::UnsqueezeAttributes>().axes;
}

// The Unsqueezes behind a Gather of a table, main table first.
std::vector<ir::Node*> lookups(const ir::Model& model) {
  std::vector<ir::Node*> out;
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Unsqueeze")) continue;
    const ir::Node* behind = &node->input(0).node();
    if (behind->is("Convert")) behind = &behind->input(0).node();
    if (behind->is("Gather") && behind->input(0).node().is("Constant")) out.push_back(node);
  }
  return out;
}

void move_axis_back(ir::Model& model, ir::Node& unsqueeze) {
  op::UnsqueezeAttributes first;
  first.axes = {0};
  with_attributes(model, unsqueeze, first.clone());
}

// The tables' rows of these ids, summed.
std::vector<double> summed_rows(const std::vector<double>& ids) {
  std::vector<double> out;
  for (const double id : ids) {
    for (int64_t i = 0; i < TinyTransformer::kWidth; ++i)
      out.push_back(main_table(static_cast<int64_t>(id), i) + second_table(static_cast<int64_t>(id), i));
  }
  return out;
}

std::vector<ir::Pass> genai(std::vector<ir::Pass> then = {}) {
  std::vector<ir::Pass> out = {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai()};
  out.insert(out.end(), then.begin(), then.end());
  return out;
}

// ---- L7 ----

const test::Breaker not_followed("L7_result_not_followed", "a reader is left on the old axis");
const test::Breaker second_left("L7_second_table_left", "only the main table's axis is moved");
const test::Breaker moved_in_translator("L7_moved_in_the_translator", "the raw path has the moved axis");
const test::Breaker any_ids("L7_any_ids", "lookups by another input are taken for those by tokens");

struct LookupCase {
  bool squeeze, convert;
};

std::string lookup_text(const LookupCase& c) {
  std::string out = "model \"lookup\" {\n";
  out += std::string("  %tokens = Parameter() {name=\"inp_tokens\", type=i32[") + (c.squeeze ? "1,1," : "") +
         "1,T:token], role=tokens}\n";
  out += "  %table = Parameter() {name=\"table\", type=f16[9,6:channel]}\n";
  if (c.squeeze) out += "  %ids = Squeeze(%tokens:0) {axes=[0,1]}\n";
  out += std::string("  %rows = Gather(%table:0, ") + (c.squeeze ? "%ids:0" : "%tokens:0") + ") {axis=0}\n";
  if (c.convert) out += "  %wide = Convert(%rows:0) {to=f32}\n";
  out += std::string("  %embd = Unsqueeze(") + (c.convert ? "%wide:0" : "%rows:0") + ") {axes=[0]}\n";
  return out +
         "  %doubled = Add(%embd:0, %embd:0)\n  %a = Result(%embd:0) {name=\"embedding\"}\n"
         "  %b = Result(%doubled:0) {name=\"doubled\"}\n}\n";
}

TEST(L7_EmbeddingAxis, MovesInEveryFormOfTheLookup) {
  for (const LookupCase& c : {LookupCase{true, true}, {true, false}, {false, true}, {false, false}}) {
    const std::string text = lookup_text(c);
    SCOPED_TRACE(text);
    ir::Model model = ir::parse(text, op::all_schemas()).value();
    const ir::Node* const gather = model.find("rows");
    const auto before = model.node_count();
    EXPECT_EQ(pass::move_embedding_axes(model, *model.find_parameter("inp_tokens")).value(), 1);
    if (not_followed.active()) move_axis_back(model, *model.find("embd"));
    EXPECT_EQ(model.node_count(), before);
    EXPECT_EQ(model.find("rows"), gather);
    EXPECT_EQ(gather->attributes_as<op::GatherAttributes>().axis, 0);
    const ir::Node* const moved = model.find("embd");
    ASSERT_NE(moved, nullptr);
    EXPECT_EQ(axes_of(*moved), std::vector<int64_t>{1});
    EXPECT_EQ(&model.find_result("embedding")->input(0).node(), moved);
    for (const int input : {0, 1}) EXPECT_EQ(&model.find("doubled")->input(input).node(), moved);
    EXPECT_TRUE(ir::verify(model, ir::Stage::kConverted).ok());
  }
}

TEST(L7_EmbeddingAxis, EveryTableThatTokensLookUpFollows) {
  const auto decoder = TinyTransformer{.show_embedding = true}.decoder();
  const ir::Pass fault = fault_pass([](ir::Model& made) {
    if (second_left.active()) move_axis_back(made, *lookups(made).at(1));
  });
  const auto model = try_convert(decoder, genai({fault}));
  ASSERT_TRUE(model.ok()) << model.error().message();
  const std::vector<ir::Node*> found = lookups(*model);
  ASSERT_EQ(found.size(), 2u);
  for (const ir::Node* node : found) {
    EXPECT_EQ(axes_of(*node), std::vector<int64_t>{1});
    EXPECT_TRUE(node->name().starts_with("GET_ROWS.")) << node->name();
  }
  EXPECT_TRUE(found[1]->input(0).node().is("Convert"));

  const auto paged = try_convert(decoder, genai({pass::sdpa_to_paged({.block_size = 4}), fault}));
  ASSERT_TRUE(paged.ok()) << paged.error().message();
  on_every_runtime([&](const std::string& runtime) {
    const HostTensor sum = StepByStep(*paged, runtime).run(paged_inputs({4, 0, 8}))["embedding"];
    EXPECT_EQ(sum.extents, (std::vector<int64_t>{3, 1, 1, 16}));
    EXPECT_EQ(sum.values(), summed_rows({4, 0, 8}));
  });
}

TEST(L7_EmbeddingAxis, LookupsByAnotherInputKeepTheirs) {
  test::HandDecoder graph = TinyTransformer().decoder();
  const auto table = graph.weight("others", "f32[3,2:channel]", std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto ids = graph.input("ids", "i32[1,1,1,S]",
                               any_ids.active() ? decoder::InputRole::kTokens : decoder::InputRole::kOther);
  graph.output("rows", graph.node("GET_ROWS", {table, any_ids.active() ? decoder::Edge{0, 0} : ids},
                                  any_ids.active() ? "f32[1,1,T,2]" : "f32[1,1,S,2]"));
  const auto model = try_convert(graph, genai());
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(axes_of(model->find_result("rows")->input(0).node()), std::vector<int64_t>{0});
}

constexpr const char* kRawLookup = R"(model "hand" {
  %inp_tokens = Parameter() {name="inp_tokens", type=i32[1,1,1,T:token], role=tokens}
  %inp_kv_idx = Parameter() {name="inp_kv_idx", type=i64[1,1,1,T:token], role=cache_index}
  %table = Constant() {type=f32[9,8:channel], weight="table"}
  %GET_ROWS.3/Squeeze = Squeeze(%inp_tokens:0) {axes=[0,1]} : i32[1,T:token]
  %GET_ROWS.3/Gather = Gather(%table:0, %GET_ROWS.3/Squeeze:0) : f32[1,T:token,8:channel]
  %GET_ROWS.3/Unsqueeze = Unsqueeze(%GET_ROWS.3/Gather:0) {axes=[0]} : f32[1,1,T:token,8:channel]
  %RESHAPE.4/Reshape = Reshape(%GET_ROWS.3/Unsqueeze:0) {target=[0,-1,2,4], special_zero=true} : f32[1,T:token,2:head,4:head_size]
  %cache = Parameter() {name="cache", type=f16[1,KV:position,2:head,4:head_size], role=cache}
  %SET_ROWS.6/Convert = Convert(%RESHAPE.4/Reshape:0) {to=f16} : f16[1,T:token,2:head,4:head_size]
  %SET_ROWS.6/ScatterUpdate = ScatterUpdate(%cache:0, %inp_kv_idx:0, %SET_ROWS.6/Convert:0) {axis=1} : f16[1,KV:position,2:head,4:head_size]
  %cache.result = Result(%SET_ROWS.6/ScatterUpdate:0) {name="cache"}
}
)";

TEST(L7_EmbeddingAxis, TheRawPathIsAsItWas) {
  const ir::Pass fault = fault_pass([](ir::Model& model) {
    if (moved_in_translator.active()) {
      EXPECT_TRUE(pass::move_embedding_axes(model, *model.find_parameter("inp_tokens")).ok());
    }
  });
  EXPECT_EQ(ir::print(try_convert(cached_lookup(), {fault}).value()), kRawLookup);
}

// ---- L8 ----

const test::Breaker axis_0("L8_axis_0", "the embedding gets its axis back in front");

// The values from the ids to the embedding: lifted, squeezed, gathered, restored.
std::array<ir::Value, 4> way_of_ids(const ir::Model& model) {
  ir::Node* const embedding = lookups(model).at(0);
  const ir::Node& gather = embedding->input(0).node();
  const ir::Node& squeeze = gather.input(1).node();
  return {squeeze.input(0), gather.input(1), embedding->input(0), embedding->output(0)};
}

void expect_way(const ir::Model& model, const std::vector<std::vector<Dim>>& wanted) {
  const auto way = way_of_ids(model);
  for (size_t i = 0; i < way.size(); ++i) EXPECT_EQ(way[i].type().dims(), wanted[i]) << way[i].describe();
}

TEST(L8_OneGraph, ServesBatchesAndFlatTokens) {
  const auto decoder = TinyTransformer{.show_embedding = true}.decoder();
  const ir::Pass fault = fault_pass([](ir::Model& made) {
    if (!axis_0.active()) return;
    // Both, so that they still can be added.
    for (const int table : {0, 1}) move_axis_back(made, *lookups(made).at(static_cast<size_t>(table)));
  });
  const std::vector<double> ids = {7, 2, 5};

  const ir::Model batch = try_convert(decoder, genai()).value();
  expect_way(batch, {{1, 1, kB, kT}, {kB, kT}, {kB, kT, 16}, {kB, 1, kT, 16}});
  const ir::Model flat = try_convert(TinyTransformer{.show_embedding = true}.decoder(),
                                     genai({pass::sdpa_to_paged({.block_size = 4}), fault}))
                             .value();
  expect_way(flat, {{1, 1, kT, 1}, {kT, 1}, {kT, 1, 16}, {kT, 1, 1, 16}});
  EXPECT_EQ(flat.find_parameter("input_ids")->port_type(0).dims(), std::vector<Dim>{kT});
  on_every_runtime([&](const std::string& runtime) {
    const HostTensor one = StepByStep(batch, runtime).run(genai_inputs(1, ids))["embedding"];
    EXPECT_EQ(one.extents, (std::vector<int64_t>{1, 1, 3, 16}));
    EXPECT_EQ(one.values(), summed_rows(ids));
    const HostTensor rows = StepByStep(flat, runtime).run(paged_inputs(ids))["embedding"];
    EXPECT_EQ(rows.extents, (std::vector<int64_t>{3, 1, 1, 16}));
    EXPECT_EQ(rows.values(), summed_rows(ids));
  });
}

}  // namespace
}  // namespace tenon::contracts
