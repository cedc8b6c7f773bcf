#include <gtest/gtest.h>

#include "tenon/translate/test_support.h"

namespace tenon::translate {
namespace {

using decoder::AttentionAttributes;
using decoder::AttentionLayout;
using decoder::Edge;
using test::HandDecoder;

struct AttentionCase {
  AttentionLayout layout = AttentionLayout::kHeadAxis2;
  std::string query = "f32";
  std::string cache = "f32";
  int heads = 4;
  decoder::MaskStructure structure = decoder::MaskStructure::kCausal;
  AttentionAttributes attributes = {};
};

HandDecoder attention(AttentionCase c) {
  const bool heads_last = c.layout == AttentionLayout::kHeadAxis2;
  const auto type = [&](const std::string& element, const std::string& length, int heads) {
    const std::string head = std::to_string(heads) + ":head";
    return element + "[1," + (heads_last ? length + "," + head : head + "," + length) + ",8:head_size]";
  };
  HandDecoder graph;
  const Edge q = graph.input("q", type(c.query, "T:token", c.heads));
  const Edge k = graph.input("k", type(c.cache, "KV:position", 2));
  const Edge v = graph.input("v", type(c.cache, "KV:position", 2));
  const Edge positions = graph.input("inp_pos", "i32[1,1,1,T:token]", decoder::InputRole::kPositions);
  const Edge mask = graph.mask("mask", "f32[1,1,T:token,KV:position]", {c.structure, 5, positions});
  c.attributes.layout = c.layout;
  graph.output("out",
               graph.node("FLASH_ATTN_EXT", {q, k, v, mask},
                          "f32[1,T:token," + std::to_string(c.heads) + ":head,8:head_size]", c.attributes));
  return graph;
}

TEST(FlashAttnExt, HeadAxis2TransposesEachByAConstantOfItsOwn) {
  const ir::Model model = translate(attention({})).value();
  EXPECT_EQ(model.count("Transpose"), 3);
  EXPECT_EQ(model.count("Constant"), 3);
  EXPECT_EQ(model.count("Convert"), 0);
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Transpose")) continue;
    EXPECT_EQ(ir::value_as_dims(node->input(1)), (std::vector<Dim>{0, 2, 1, 3}));
    EXPECT_EQ(node->input(1).uses().size(), 1u);
  }
}

TEST(FlashAttnExt, HeadAxis1NeedsNoTranspose) {
  EXPECT_EQ(body(attention({.layout = AttentionLayout::kHeadAxis1})),
            "%FLASH_ATTN_EXT.5/Attention = Attention(%q:0, %k:0, %v:0, %mask:0, %inp_pos:0) {mask=causal} : "
            "f32[1,T:token,4:head,8:head_size]\n");
}

TEST(FlashAttnExt, AFreeMaskIsReadAsItIs) {
  EXPECT_EQ(body(attention(
                {.layout = AttentionLayout::kHeadAxis1, .structure = decoder::MaskStructure::kExplicit})),
            "%FLASH_ATTN_EXT.5/Attention = Attention(%q:0, %k:0, %v:0, %mask:0) : "
            "f32[1,T:token,4:head,8:head_size]\n");
}

TEST(FlashAttnExt, OnlyQIsConverted) {
  const ir::Model model = translate(attention({.cache = "f16"})).value();
  EXPECT_EQ(model.count("Convert"), 1);
  for (const ir::Node* node : model.topological_order()) {
    if (!node->is("Convert")) continue;
    const ir::Node& swap = node->input(0).node();
    EXPECT_TRUE(swap.is("Transpose"));
    EXPECT_EQ(swap.input(0), model.find_parameter("q")->output(0));
  }
}

TEST(FlashAttnExt, RefusesWhatItCannotKeep) {
  EXPECT_EQ(body(attention({.heads = 3})),
            "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.5': wanted query heads that are a multiple of the key and "
            "value heads, "
            "found 3, 2 and 2 heads");
  EXPECT_EQ(
      body(attention({.attributes = {.max_bias = 8}})),
      "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.5': wanted attention without ALiBi, found max_bias 8.000000");
  EXPECT_EQ(body(attention({.attributes = {.logit_softcap = 50}})),
            "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.5': wanted attention without a soft cap, found "
            "logit_softcap 50.000000");
}

}  // namespace
}  // namespace tenon::translate
