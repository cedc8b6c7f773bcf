#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/translate/cases.h"
#include "tenon/translate/convert.h"
#include "tenon/translate/test_support.h"

namespace tenon::translate {
namespace {

using decoder::Edge;
using test::HandDecoder;

TEST(Translators, TableIsSortedAndEveryRowHasItsCases) {
  const auto table = translators();
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(),
                             [](const TranslatorRow& a, const TranslatorRow& b) { return a.op < b.op; }));
  for (const TranslatorRow& row : table) EXPECT_FALSE(row.cases.empty()) << row.op;
}

TEST(GetRows, OfATableKeepsTheLeadingOneAsANodeOfItsOwn) {
  HandDecoder graph;
  const Edge table = graph.input("table", "f16[9,6:channel]");
  const Edge ids = graph.input("ids", "i32[1,1,1,T:token]");
  graph.output("out", graph.node("GET_ROWS", {table, ids}, "f32[1,1,T:token,6:channel]"));
  EXPECT_EQ(
      body(graph),
      "%GET_ROWS.2/Squeeze = Squeeze(%ids:0) {axes=[0,1]} : i32[1,T:token]\n"
      "%GET_ROWS.2/Gather = Gather(%table:0, %GET_ROWS.2/Squeeze:0) : f16[1,T:token,6:channel]\n"
      "%GET_ROWS.2/Convert = Convert(%GET_ROWS.2/Gather:0) : f32[1,T:token,6:channel]\n"
      "%GET_ROWS.2/Unsqueeze = Unsqueeze(%GET_ROWS.2/Convert:0) {axes=[0]} : f32[1,1,T:token,6:channel]\n");
}

TEST(GetRows, OfAnActivationSelectsWithinEachSequence) {
  HandDecoder graph;
  const Edge x = graph.input("x", "f32[1,1,T:token,6:channel]");
  const Edge ids = graph.input("ids", "i32[1,1,1,R:token]");
  graph.output("out", graph.node("GET_ROWS", {x, ids}, "f32[1,1,R:token,6:channel]"));
  EXPECT_EQ(
      body(graph),
      "%GET_ROWS.2/Squeeze = Squeeze(%x:0) {axes=[0]} : f32[1,T:token,6:channel]\n"
      "%GET_ROWS.2/Squeeze_1 = Squeeze(%ids:0) {axes=[0,1]} : i32[1,R:token]\n"
      "%GET_ROWS.2/Gather = Gather(%GET_ROWS.2/Squeeze:0, %GET_ROWS.2/Squeeze_1:0) {axis=1, batch_dims=1} : "
      "f32[1,R:token,6:channel]\n"
      "%GET_ROWS.2/Unsqueeze = Unsqueeze(%GET_ROWS.2/Gather:0) {axes=[0]} : f32[1,1,R:token,6:channel]\n");
}

// One graph for [1, 1, T, H*D] and [T, 1, 1, H*D]: nothing leading is written down.
TEST(Reshape, SplitsAndMergesHeadsWhereverTheTokensStand) {
  for (const auto& [flat, heads] :
       {std::pair("f32[1,1,T:token,12:channel]", "f32[1,T:token,3:head,4:head_size]"),
        std::pair("f32[T:token,1,1,12:channel]", "f32[T:token,1,3:head,4:head_size]")}) {
    HandDecoder graph;
    const Edge split = graph.node("RESHAPE", {graph.input("x", flat)}, heads,
                                  decoder::ReshapeAttributes{decoder::ReshapeCase::kSplitHeads, 3, 4});
    graph.output("out", graph.node("RESHAPE", {split}, flat,
                                   decoder::ReshapeAttributes{decoder::ReshapeCase::kMergeHeads, 3, 4}));
    EXPECT_EQ(body(graph), "%RESHAPE.1/Reshape = Reshape(%x:0) {target=[0,-1,3,4], special_zero=true} : " +
                               std::string(heads) +
                               "\n%RESHAPE.2/Reshape = Reshape(%RESHAPE.1/Reshape:0) {target=[0,1,-1,12], "
                               "special_zero=true} : " +
                               flat + "\n");
  }
}

// ---- what every translator owes ----

TEST(Translate, AnOpWithoutARowIsRefusedByName) {
  HandDecoder graph;
  graph.output("out",
               graph.node("RWKV_WKV7", {graph.input("x", "f32[1,1,T:token,8]")}, "f32[1,1,T:token,8]"));
  EXPECT_EQ(
      body(graph),
      "ggml RWKV_WKV7 'RWKV_WKV7.1': wanted an op with a translator, found no translator for RWKV_WKV7");

  HandDecoder silu;
  silu.output("out", silu.node("SILU", {silu.input("x", "f32[1,1,T:token,8]")}, "f32[1,1,T:token,8]"));
  std::vector<TranslatorRow> rows(translators().begin(), translators().end());
  std::erase_if(rows, [](const TranslatorRow& row) { return row.op == "SILU"; });
  EXPECT_TRUE(translate(silu).ok());
  ASSERT_FALSE(translate(silu, rows).ok());
  EXPECT_NE(translate(silu, rows).error().message().find("no translator for SILU"), std::string::npos);
}

TEST(Translate, AnUnknownCaseIsRefusedByOpNodeAndCase) {
  const auto refusal = [](std::string_view op, decoder::NodeAttributes attributes,
                          std::vector<std::string> more = {}) {
    HandDecoder graph;
    std::vector<Edge> inputs = {graph.input("x", "f32[1,4,2,8]")};
    for (const std::string& type : more)
      inputs.push_back(graph.input("input" + std::to_string(inputs.size()), type));
    graph.output("out", graph.node(op, inputs, "f32[1,4,2,8]", std::move(attributes)));
    return body(graph);
  };
  const auto wanted = [](std::string_view op, int place, std::string_view found) {
    const std::string name(op);
    return "ggml " + name + " '" + name + "." + std::to_string(place) +
           "': wanted a known case of the op, found case " + std::string(found);
  };
  EXPECT_EQ(refusal("RESHAPE", decoder::ReshapeAttributes{static_cast<decoder::ReshapeCase>(9), 0, 0}),
            wanted("RESHAPE", 1, "9"));
  EXPECT_EQ(refusal("VIEW", decoder::ViewAttributes{-1, 0, 0, {static_cast<decoder::ReshapeCase>(9), 0, 0}}),
            wanted("VIEW", 1, "9"));
  EXPECT_EQ(refusal("PERMUTE", decoder::PermuteAttributes{static_cast<decoder::PermuteCase>(9), {}, 0, 0}),
            wanted("PERMUTE", 1, "9"));
  EXPECT_EQ(
      refusal("ROPE", decoder::RopeAttributes{.mode = static_cast<decoder::RopeMode>(9)}, {"i32[1,1,1,4]"}),
      wanted("ROPE", 2, "9"));
  EXPECT_EQ(refusal("ARGSORT", decoder::ArgsortAttributes{decoder::SortOrder::kOther, true}),
            wanted("ARGSORT", 1, "2"));
  EXPECT_EQ(refusal("FLASH_ATTN_EXT",
                    decoder::AttentionAttributes{.layout = static_cast<decoder::AttentionLayout>(9)},
                    {"f32[1,4,2,8]", "f32[1,4,2,8]"}),
            wanted("FLASH_ATTN_EXT", 3, "9"));
}

TEST(Translate, WhatATranslatorGivesMustBeWhatWasDeclared) {
  HandDecoder graph;
  graph.output("out", graph.node("SILU", {graph.input("x", "f32[1,1,T:token,8]")}, "f32[1,1,T:token,9]"));
  EXPECT_EQ(
      body(graph),
      "ggml SILU 'SILU.1': wanted the declared f32[1,1,T:token,9] at port 0, found Swish %SILU.1/Swish:0 "
      "f32[1,1,T:token,8]");

  HandDecoder two;
  const auto type = TensorType::parse("f32[4]").value();
  two.node({"SILU", "two", {}, {two.input("x", "f32[4]")}, {type, type}, {}});
  EXPECT_EQ(body(two), "ggml SILU 'two': wanted 2 outputs from its translator, found 1");
}

TEST(Translate, APortThatIsNotThereIsRefused) {
  HandDecoder graph;
  const Edge x = graph.input("x", "f32[1,1,T:token,8]");
  graph.output("out", graph.node("SILU", {Edge{x.node, 1}}, "f32[1,1,T:token,8]"));
  EXPECT_EQ(body(graph), "ggml SILU 'SILU.1': wanted a port below 1 of 'x', found 1");

  HandDecoder forward;
  forward.output("out", forward.node("SILU", {Edge{7, 0}}, "f32[4]"));
  EXPECT_EQ(body(forward), "ggml SILU 'SILU.0': wanted an edge from an earlier node, found node 7");
}

TEST(Translate, AShapeRulesWordsComeWithTheGgmlNode) {
  HandDecoder graph;
  const Edge w = graph.input("w", "f32[5,7]");
  const Edge x = graph.input("x", "f32[1,1,T:token,8]");
  graph.output("out", graph.node("MUL_MAT", {w, x}, "f32[1,1,T:token,5]"));
  EXPECT_EQ(body(graph).find("ggml MUL_MAT 'MUL_MAT.2': MatMul 'MUL_MAT.2/MatMul'"), 0u) << body(graph);
}

TEST(Leaves, CarryTheirFacts) {
  HandDecoder graph;
  graph.cache("cache", "f16[1,KV:position,2,8]", {decoder::CacheKind::kWindow, 128, 3});
  graph.input("count", "i32[1]", decoder::InputRole::kOther, "N");
  const Edge w = graph.weight("w", "f32[2]", std::vector<float>{1, 2});
  graph.output("out", w);
  const ir::Model model = translate(graph).value();
  const auto& cache = model.find_parameter("cache")->attributes_as<ir::ParameterAttributes>();
  EXPECT_EQ(cache.role, ir::ParameterRole::kCache);
  EXPECT_EQ(cache.cache, ir::CacheKind::kWindow);
  EXPECT_EQ(cache.window, 128);
  EXPECT_EQ(cache.layer, 3);
  EXPECT_EQ(model.find_parameter("count")->attributes_as<ir::ParameterAttributes>().value_symbol, "N");
  const auto& weight = model.find("w")->attributes_as<ir::ConstantAttributes>();
  EXPECT_EQ(weight.weight, "w");
  EXPECT_EQ(weight.data.size, 8u);
}

TEST(Leaves, AWeightHasTheBytesOfItsType) {
  HandDecoder graph;
  graph.weight("w", "q4_0[2,64]", std::vector<std::byte>(35));
  EXPECT_EQ(body(graph), "leaf 'w': wanted the bytes of q4_0[2,64], found 35 bytes");
  HandDecoder odd;
  odd.weight("w", "q4_0[2,48]", std::vector<std::byte>(54));
  EXPECT_EQ(body(odd), "leaf 'w': wanted the bytes of q4_0[2,48], found 54 bytes");
  HandDecoder none;
  none.node({"NONE", "mystery", {}, {}, {TensorType::parse("f32[2]").value()}, {}});
  EXPECT_EQ(body(none),
            "leaf 'mystery': wanted a weight, an input, a cache, a recurrent state or a mask, found a leaf "
            "of no kind");
}

TEST(TopK, KComesFromTheGraphWhereOnlyTheRunKnowsIt) {
  HandDecoder whole;
  whole.output("ids", whole.node("TOP_K", {whole.input("x", "f32[1,1,4,N]")}, "i32[1,1,4,N]",
                                 decoder::TopKAttributes{}));
  EXPECT_EQ(translate(whole).value().count("ShapeOf"), 1);

  HandDecoder given;
  const Edge k = given.input("k", "i64[1]", decoder::InputRole::kOther, "K");
  given.output("ids", given.node("TOP_K", {given.input("x", "f32[1,1,4,8]"), k}, "i32[1,1,4,K]",
                                 decoder::TopKAttributes{}));
  EXPECT_EQ(translate(given).value().count("ShapeOf"), 0);

  HandDecoder unknown;
  unknown.output("ids", unknown.node("TOP_K", {unknown.input("x", "f32[1,1,4,N]")}, "i32[1,1,4,M]",
                                     decoder::TopKAttributes{}));
  EXPECT_EQ(body(unknown).find("ggml TOP_K 'TOP_K.1': wanted k by attribute"), 0u) << body(unknown);

  HandDecoder many;
  many.output("ids", many.node("TOP_K", {many.input("x", "f32[1,1,4,8]")}, "i32[1,1,4,9]",
                               decoder::TopKAttributes{9}));
  EXPECT_EQ(body(many), "ggml TOP_K 'TOP_K.1': wanted k of at most the last extent, 8, found k = 9");
}

}  // namespace
}  // namespace tenon::translate
