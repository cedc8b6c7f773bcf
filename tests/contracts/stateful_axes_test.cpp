// S9, S10, S11, S18, S20: along which axis a cache is appended to, what it starts from, and which caches may
// be.
#include <gtest/gtest.h>

#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/read_value.h"
#include "tenon/op/reshape.h"
#include "tenon/op/transpose.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/cache_graphs.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensors;
using pass::make_stateful;

constexpr const char* kCache = "f16[1,KV:position,2:head,4:head_size]";
constexpr const char* kRows = "f32[1,T:token,2:head,4:head_size]";

HostTensors step_inputs(std::vector<int64_t> extents, int64_t tokens, int64_t first,
                        const std::vector<double>& beam = {0}) {
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  return {{"data", f32(std::move(extents), counted(count, first))},
          {"index", i64({1, 1, 1, tokens}, counted(tokens))},
          {"beam_idx", beams(beam)}};
}

// ---- S9 ----

const test::Breaker another_axis("S9_another_axis", "make_stateful is told the heads' axis, or any at all");

ir::Pass along(int64_t axis) {
  return make_stateful({.append_axis = another_axis.active() ? (axis == 1 || axis == -1 ? 2 : -1) : axis});
}

TEST(S9_AppendAxis, TheSingleDynamicDimensionIsInferred) {
  // With and without roles, and where the tokens lie behind the heads.
  const struct {
    const char *cache, *data;
    int axis;
  } cases[] = {{kCache, kRows, 1},
               {"f16[1,KV,2,4]", "f32[1,T,2,4]", 1},
               {"f16[1,2:head,KV:position,4]", "f32[1,2:head,T:token,4]", 2}};
  for (const auto& c : cases) {
    const Result<ir::Model> model =
        try_convert(one_write(c.cache, c.data),
                    {another_axis.active() ? make_stateful({.append_axis = 3 - c.axis}) : make_stateful()});
    ASSERT_TRUE(model.ok()) << model.error().message();
    EXPECT_EQ(find_op(*model, "Concat")->attributes_as<op::ConcatAttributes>().axis, c.axis) << c.cache;
  }
}

TEST(S9_AppendAxis, WhatCannotBeAppendedToIsAnErrorThatNamesCacheShapeAndRemedy) {
  const struct {
    const char *cache, *data;
    int64_t axis;
    const char* wanted;
  } cases[] = {
      {"f16[1,KV,G,4]", "f32[1,T,G,4]", -1, "one dynamic axis"},
      {"f16[1,16,2,4]", "f32[1,T,2,4]", -1, "one dynamic axis"},
      {"f16[1,KV,G,4]", "f32[1,T,G,4]", 1, "no dynamic axis beside"},
      {kCache, kRows, 0, "an append axis from 1 to 3, not 0"},
      {kCache, kRows, 4, "an append axis from 1 to 3, not 4"},
      {kCache, kRows, -2, "an append axis from 1 to 3, not -2"},
      {"f16[1,16:position,2:head,4]", kRows, 2, "the position axis as append axis, not 2"},
      {"f16[1,16:position,G,4]", "f32[1,T,G,4]", -1, "the position axis as append axis, not 2"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.cache) + " along " + std::to_string(c.axis));
    const bool sound = another_axis.active();
    const auto model = try_convert(one_write(sound ? kCache : c.cache, sound ? kRows : c.data),
                                   {make_stateful({.append_axis = sound ? 1 : c.axis})});
    expect_error(model, {"make_stateful: cache 'cache'", c.cache, c.wanted});
    EXPECT_TRUE(model.ok() || !model.error().remedy.empty());
  }
}

TEST(S9_AppendAxis, AStaticCacheGrowsFromNothing) {
  const auto model = try_convert(one_write("f16[1,16:position,2:head,4:head_size]", kRows), {along(1)});
  ASSERT_TRUE(model.ok()) << model.error().message();
  const ir::Node& read = *find_op(*model, "ReadValue");
  EXPECT_EQ(read.port_type(0).to_string(), "f16[1,cache.past:position,2:head,4:head_size]");
  EXPECT_EQ(read.input(0).type().dim(1), Dim(0));
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(*model, runtime);
    steps.run(step_inputs({1, 3, 2, 4}, 3, 1));
    const op::HostTensor held = steps.run(step_inputs({1, 2, 2, 4}, 2, 25))["cache"];
    EXPECT_EQ(held.extents, (std::vector<int64_t>{1, 5, 2, 4}));
    EXPECT_EQ(held.values(), counted(40, 1));
  });
}

// ---- S10 ----

const test::Breaker starts_with_a_row("S10_starts_with_a_row", "the initial value has one token");
const test::Breaker unconnected("S10_unconnected", "the initial value is left to whoever runs the model");

void put_s10_faults_in(ir::Model& model) {
  ir::Node& read = *find_op(model, "ReadValue");
  if (starts_with_a_row.active()) {
    auto row = std::make_unique<ir::ConstantAttributes>();
    row->type = TensorType::parse("f16[1,1,2,4]").value();
    const auto bytes = std::make_shared<std::vector<std::byte>>(16);
    row->data = {bytes, bytes->data(), bytes->size()};
    EXPECT_TRUE(model.set_input(read, 0, model.add_constant(std::move(row))).ok());
  }
  if (unconnected.active()) {
    ir::ParameterAttributes initial;
    initial.name = "initial";
    initial.type = TensorType::parse("f16[1,0,2,4]").value();
    EXPECT_TRUE(model.set_input(read, 0, model.add_parameter(std::move(initial)).value()).ok());
  }
}

TEST(S10_InitialValue, IsAConnectedConstantWithoutTokens) {
  const ir::Model model =
      try_convert(one_write(kCache, kRows), {make_stateful(), fault_pass(put_s10_faults_in)}).value();
  ir::Node* const read = find_op(model, "ReadValue");
  ASSERT_EQ(read->input_count(), 1);
  const ir::Node& initial = read->input(0).node();
  ASSERT_TRUE(initial.is("Constant"));
  EXPECT_EQ(initial.port_type(0).dims(), (std::vector<Dim>{1, 0, 2, 4}));
  EXPECT_EQ(initial.attributes_as<ir::ConstantAttributes>().data.size, 0u);
  ASSERT_EQ(initial.port_uses(0).size(), 1u);
  EXPECT_EQ(initial.port_uses(0)[0].user, read);
  const HostTensors first = op::evaluate(model, step_inputs({1, 3, 2, 4}, 3, 1)).value();
  EXPECT_EQ(first.at("cache").values(), counted(24, 1));
}

// ---- S11 ----

const test::Breaker heads_swapped("S11_head_and_size_swapped",
                                  "flat rows are taken for [D,G] and turned round");

ir::Pass put_s11_faults_in() {
  return fault_pass([](ir::Model& model) {
    if (!heads_swapped.active()) return;
    ir::Node& concat = *find_op(model, "Concat");
    op::Builder build(model, "fault");
    op::ReshapeAttributes other;
    other.target = {0, -1, 4, 2};
    other.special_zero = true;
    const ir::Value rows = concat.input(1).node().input(0);
    const ir::Value wrong = build.add(op::reshape_op(), {rows}, other).value();
    const ir::Value turned = build.add(op::transpose_op(), {wrong, build.integers({0, 1, 3, 2})}).value();
    EXPECT_TRUE(model.set_input(concat, 1, turned).ok());
  });
}

// [B,1,T,G*D]; and as a live graph has one sequence's, without a batch.
TEST(S11_FlatRows, AreReshapedBeforeTheConcat) {
  for (const int64_t batch : {1, 2}) {
    const std::string b = std::to_string(batch);
    const auto graph = one_write("f16[" + b + ":batch,KV:position,2:head,4:head_size]",
                                 "f32[" + b + ":batch,1,T:token,8:channel]");
    const auto model = try_convert(graph, {make_stateful(), put_s11_faults_in()});
    ASSERT_TRUE(model.ok()) << model.error().message();
    const ir::Node& concat = *find_op(*model, "Concat");
    const ir::Node& reshape = concat.input(1).node();
    EXPECT_TRUE(reshape.is("Reshape"));
    if (reshape.is("Reshape")) {
      const auto& attributes = reshape.attributes_as<op::ReshapeAttributes>();
      EXPECT_EQ(attributes.target, (std::vector<Dim>{0, -1, 2, 4}));
      EXPECT_TRUE(attributes.special_zero);
    }
    on_every_runtime([&](const std::string& runtime) {
      StepByStep steps(*model, runtime);
      const std::vector<double> beam = counted(batch);
      steps.run(step_inputs({batch, 1, 3, 8}, 3, 1, beam));
      const op::HostTensor held = steps.run(step_inputs({batch, 1, 1, 8}, 1, 101, beam))["cache"];
      std::vector<double> expected;
      for (int64_t i = 0; i < batch; ++i) {
        for (const double x : counted(24, 1 + 24 * i)) expected.push_back(x);
        for (const double x : counted(8, 101 + 8 * i)) expected.push_back(x);
      }
      EXPECT_EQ(held.extents, (std::vector<int64_t>{batch, 4, 2, 4}));
      EXPECT_EQ(held.values(), expected);
    });
  }
}

// ---- S18, S20 ----

const test::Breaker evicts_unseen("S18_window_off_by_one", "the mask shows a token more than the window");
const test::Breaker kind_lost("S18_kind_lost", "a cache that evicts is told to be one that appends");
const test::Breaker appended_anyway("S20_kind_lost",
                                    "a cache that does not append is told to be one that does");

// Attention of q = 0 over caches that append, under a window mask: the mean of the values in the window.
test::HandDecoder windowed_attention(int64_t window) {
  test::HandDecoder graph;
  const char* const cache = "f32[1,KV:position,2:head,8:head_size]";
  const char* const rows = "f32[1,T:token,2:head,8:head_size]";
  const auto q = graph.input("q", "f32[1,T:token,4:head,8:head_size]");
  const auto k = graph.input("k", rows), v = graph.input("v", rows);
  const auto index = graph.input("inp_kv_idx", "i64[1,1,1,T:token]", decoder::InputRole::kCacheIndex);
  const auto positions = graph.input("inp_pos", "i32[1,1,1,T:token]", decoder::InputRole::kPositions);
  const auto mask = graph.mask("self_kq_mask_swa", "f32[1,1,T:token,KV:position]",
                               {decoder::MaskStructure::kWindow, window, positions});
  const auto keys = graph.node("SET_ROWS", {k, index, graph.cache("cache_k_l0", cache)}, cache);
  const auto values = graph.node("SET_ROWS", {v, index, graph.cache("cache_v_l0", cache)}, cache);
  graph.output("attention", graph.node("FLASH_ATTN_EXT", {q, keys, values, mask},
                                       "f32[1,T:token,4:head,8:head_size]", decoder::AttentionAttributes{}));
  graph.output("cache_k_l0", keys).output("cache_v_l0", values);
  return graph;
}

TEST(S18_Windows, AFullCacheUnderAWindowMaskAppends) {
  constexpr int64_t kWindow = 4;
  const auto graph = windowed_attention(kWindow + (evicts_unseen.active() ? 1 : 0));
  const auto model = try_convert(graph, {make_stateful()});
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(model->count("ReadValue"), 2);
  // Token t has the value 12t; with a window of 4 its query sees the mean of the last four.
  const std::vector<double> expected = {0, 6, 12, 18, 30, 42, 54, 66, 78, 90};
  on_every_runtime([&](const std::string& runtime) {
    StepByStep steps(*model, runtime);
    int64_t past = 0;
    for (const int64_t tokens : {3, 1, 4, 2}) {  // past two windows
      std::vector<double> v;
      for (int64_t t = past; t < past + tokens; ++t) v.insert(v.end(), 16, 12.0 * static_cast<double>(t));
      const HostTensors outputs = steps.run(
          {{"q", op::HostTensor::make(ElementType::kF32, {1, tokens, 4, 8})},
           {"k", f32({1, tokens, 2, 8}, counted(tokens * 16))},
           {"v", f32({1, tokens, 2, 8}, v)},
           {"inp_kv_idx", i64({1, 1, 1, tokens}, counted(tokens))},
           {"inp_pos", i32({1, 1, 1, tokens}, counted(tokens, past))},
           {"self_kq_mask_swa", op::HostTensor::make(ElementType::kF32, {1, 1, tokens, past + tokens})},
           {"beam_idx", beams()}});
      ASSERT_EQ(outputs.count("attention"), 1u);
      const std::vector<double> found = outputs.at("attention").values();
      for (int64_t i = 0; i < tokens * 32; ++i)
        EXPECT_NEAR(found[static_cast<size_t>(i)], expected[static_cast<size_t>(past + i / 32)], 1e-4);
      past += tokens;
      EXPECT_EQ(outputs.at("cache_v_l0").extents[1], past);
    }
  });
}

TEST(S18_Windows, AnEvictingCacheIsNeverAppendedTo) {
  const decoder::Cache window{kind_lost.active() ? decoder::CacheKind::kAppend : decoder::CacheKind::kWindow,
                              4, 0};
  const auto graph = cache_writes(2, {decoder::Cache{}, window});
  expect_error(try_convert(graph, {make_stateful()}), {"cache 'cache_1'", "kind window", "skip_caches"});
  const auto model = try_convert(graph, {make_stateful({.skip_caches = {"cache_1"}})});
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(model->count("ReadValue"), 1);
  EXPECT_EQ(model->count("ScatterUpdate"), 1);
}

TEST(S20_AppendsAlone, AnotherKindIsAnErrorThatNamesCacheKindAndRemedy) {
  const std::pair<decoder::CacheKind, const char*> kinds[] = {
      {decoder::CacheKind::kWindow, "kind window"}, {decoder::CacheKind::kOverwrite, "kind overwrite"}};
  for (const auto& [kind, name] : kinds) {
    const decoder::Cache cache{appended_anyway.active() ? decoder::CacheKind::kAppend : kind, 4, 0};
    expect_error(try_convert(cache_writes(1, {cache}), {make_stateful()}),
                 {"cache 'cache_0'", name, "list it in skip_caches"});
    const auto model = try_convert(cache_writes(1, {cache}), {make_stateful({.skip_caches = {"cache_0"}})});
    ASSERT_TRUE(model.ok()) << model.error().message();
    EXPECT_NE(model->find_parameter("cache_0"), nullptr);
  }
}

}  // namespace
}  // namespace tenon::contracts
