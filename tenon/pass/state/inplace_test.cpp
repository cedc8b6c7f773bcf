#include "tenon/pass/state/inplace.h"

#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/pass/pipeline.h"
#include "tests/contracts/hand_graphs.h"

namespace tenon::pass {
namespace {

Result<ir::Model> converted(const decoder::Decoder& decoder, std::vector<ir::Pass> passes) {
  ConvertOptions options;
  options.extensions = std::move(passes);
  return convert(decoder, options);
}

TEST(InplaceKv, OpenContextIsASymbol) {
  const ir::Model model =
      converted(contracts::attention_layer(), {inplace_kv({.stateless_kv = true})}).value();
  EXPECT_EQ(model.find_parameter("cache_k_l0")->port_type(0).to_string(),
            "f16[1,ctx:position,2:head,8:head_size]");
  EXPECT_EQ(model.symbols().at("ctx").min, 1);
}

TEST(InplaceKv, AConstantContextBoundsTheCachedTokens) {
  const ir::Model model =
      converted(contracts::attention_layer(), {inplace_kv({.stateless_kv = true, .context = 40})}).value();
  EXPECT_EQ(model.symbols().at("KV").max, 40);
  EXPECT_EQ(model.symbols().count("ctx"), 0u);
}

TEST(InplaceKv, KeepsTheOrderAndTheNamesOfTheInputs) {
  const auto names = [](const ir::Model& model) {
    std::vector<std::string> out;
    for (const ir::Node* node : model.parameters()) out.push_back(node->name());
    return out;
  };
  std::vector<std::string> wanted = names(convert(contracts::live_attention_layer()).value());
  wanted.push_back("attention_size");
  EXPECT_EQ(names(converted(contracts::live_attention_layer(), {inplace_kv({.stateless_kv = true})}).value()),
            wanted);
}

TEST(InplaceKv, TheViewsOfAFlatCacheGo) {
  const ir::Model model =
      converted(contracts::live_attention_layer(), {inplace_kv({.stateless_kv = true})}).value();
  for (const ir::Node* node : model.topological_order()) {
    if (!node->is("Reshape")) continue;
    EXPECT_NE(node->input(0).node().op(), "ScatterUpdate") << node->name();
  }
}

TEST(InplaceKv, AnotherAttentionSizeIsAnErrorAndChangesNothing) {
  test::HandDecoder graph = contracts::attention_layer();
  graph.input("attention_size", "i64[1]");
  const Result<ir::Model> model = converted(graph, {inplace_kv({.stateless_kv = true})});
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message().find("attention_size"), std::string::npos) << model.error().message();
}

TEST(InplaceKv, WithoutCachesAddsNoInput) {
  test::HandDecoder graph;
  graph.output("out", graph.node("SILU", {graph.input("x", "f32[1,1,T:token,8]")}, "f32[1,1,T:token,8]"));
  const ir::Model model = converted(graph, {inplace_kv({.stateless_kv = true})}).value();
  EXPECT_EQ(model.parameters().size(), 1u);
}

}  // namespace
}  // namespace tenon::pass
