#include "tenon/arch/architecture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/arch/blocks/attention.h"
#include "tenon/arch/blocks/feed_forward.h"
#include "tenon/arch/blocks/linear.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::arch {
namespace {

using decoder::Edge;
using decoder::NodeView;

std::shared_ptr<const gguf::File> parsed(const gguf::Writer& writer) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(writer.to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

// The node of that name; a failure where there is none.
NodeView find(const decoder::Decoder& decoder, std::string_view name) {
  for (size_t i = 0; i < decoder.node_count(); ++i) {
    if (decoder.node(i).name == name) return decoder.node(i);
  }
  ADD_FAILURE() << "no node " << name;
  return {};
}

std::string type_of(const decoder::Decoder& decoder, std::string_view name) {
  const NodeView node = find(decoder, name);
  return node.outputs.empty() ? "" : node.outputs[0].to_string();
}

TEST(Architecture, TableIsSorted) {
  EXPECT_TRUE(std::is_sorted(architectures().begin(), architectures().end(),
                             [](const Architecture& a, const Architecture& b) { return a.name < b.name; }));
}

TEST(Architecture, AnUnknownOneIsRefusedWithTheKnownOnes) {
  gguf::Writer writer;
  writer.set("general.architecture", "gemma2");
  const auto decoder = build_decoder(parsed(writer));
  ASSERT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.error().code, ErrorCode::kUnsupported);
  std::string known;
  for (const Architecture& family : architectures())
    known += (known.empty() ? "" : ", ") + std::string(family.name);
  EXPECT_EQ(decoder.error().message(), "general.architecture: wanted one of " + known + ", found 'gemma2'");
}

TEST(Architecture, DeclaresTheInterfaceWithRoles) {
  const auto decoder = build_decoder(parsed(fixtures::make_model({.layers = 2}))).value();
  EXPECT_EQ(type_of(*decoder, "inp_tokens"), "i32[1,1,1,T:token]");
  EXPECT_EQ(type_of(*decoder, "inp_pos"), "i32[1,1,1,T:token]");
  EXPECT_EQ(type_of(*decoder, "inp_out_ids"), "i32[1,1,1,R:token]");
  EXPECT_EQ(type_of(*decoder, "inp_kv_idx"), "i64[1,1,1,T:token]");
  EXPECT_EQ(type_of(*decoder, "token_len_per_seq"), "i64[1]");
  EXPECT_EQ(type_of(*decoder, "self_kq_mask"), "f32[1,1,T:token,KV:position]");
  EXPECT_EQ(type_of(*decoder, "cache_k_l1"), "f16[1,KV:position,2:head,16:head_size]");
  EXPECT_EQ(type_of(*decoder, "Qcur_rope-1"), "f32[1,T:token,4:head,16:head_size]");
  EXPECT_EQ(type_of(*decoder, "kqv_out-0"), "f32[1,1,T:token,64:channel]");
  std::vector<std::string> outputs;
  for (const decoder::Output& output : decoder->outputs()) outputs.push_back(output.name);
  EXPECT_EQ(outputs,
            (std::vector<std::string>{"logits", "cache_k_l0", "cache_v_l0", "cache_k_l1", "cache_v_l1"}));

  const NodeView mask = find(*decoder, "self_kq_mask");
  const auto& structure = std::get<decoder::Mask>(mask.leaf);
  EXPECT_EQ(structure.structure, decoder::MaskStructure::kCausal);
  EXPECT_EQ(decoder->node(structure.positions.node).name, "inp_pos");
}

TEST(Architecture, TheLastLayerGoesOnWithTheWantedRowsAlone) {
  const auto decoder = build_decoder(parsed(fixtures::make_model({.layers = 2}))).value();
  EXPECT_EQ(type_of(*decoder, "l_out-0"), "f32[1,1,T:token,64:channel]");
  EXPECT_EQ(type_of(*decoder, "attn_out_rows-1"), "f32[1,1,R:token,64:channel]");
  EXPECT_EQ(type_of(*decoder, "residual_rows-1"), "f32[1,1,R:token,64:channel]");
  EXPECT_EQ(type_of(*decoder, "l_out-1"), "f32[1,1,R:token,64:channel]");
}

TEST(Architecture, CachesTakeTheAskedType) {
  const auto file = parsed(fixtures::make_model({}));
  BuildOptions options;
  options.cache_element = ElementType::kF32;
  EXPECT_EQ(type_of(*build_decoder(file, options).value(), "cache_v_l0"),
            "f32[1,KV:position,2:head,16:head_size]");
  options.cache_element = ElementType::kI8;
  EXPECT_THROW((void)build_decoder(file, options), std::invalid_argument);
}

TEST(Architecture, WeightsAreTheFilesOwnBytes) {
  const auto file = parsed(fixtures::make_model({.tied_output = true}));
  const auto decoder = build_decoder(file).value();
  const NodeView table = find(*decoder, "token_embd.weight");
  const auto& weight = std::get<decoder::Weight>(table.leaf);
  EXPECT_EQ(weight.bytes, file->find_tensor("token_embd.weight")->data.data());
  EXPECT_EQ(weight.size, file->find_tensor("token_embd.weight")->data.size());
  const Edge head = find(*decoder, "result_output").inputs[0];
  EXPECT_EQ(decoder->node(head.node).name, "token_embd.weight");
}

TEST(Architecture, ExpertsAreChosenAndAddedUp) {
  const auto decoder = build_decoder(parsed(fixtures::make_model({.architecture = "qwen3moe",
                                                                  .layers = 2,
                                                                  .head_norms = true,
                                                                  .experts = 8,
                                                                  .experts_used = 3})))
                           .value();
  EXPECT_EQ(type_of(*decoder, "blk.0.ffn_up_exps.weight"), "f32[8:expert,96:channel,64:channel]");
  EXPECT_EQ(type_of(*decoder, "ffn_moe_logits-0"), "f32[1,1,T:token,8:expert]");
  EXPECT_EQ(type_of(*decoder, "ffn_moe_topk-0"), "i32[1,1,T:token,3:expert]");
  EXPECT_EQ(type_of(*decoder, "ffn_moe_weights-0"), "f32[1,T:token,3:expert,1]");
  EXPECT_EQ(type_of(*decoder, "ffn_moe_down-0"), "f32[1,T:token,3:expert,64:channel]");
  EXPECT_EQ(type_of(*decoder, "ffn_moe_out_2-1"), "f32[1,1,R:token,64:channel]");
}

TEST(Architecture, LayersOfAWindowReadAMaskOfTheirOwn) {
  const auto decoder =
      build_decoder(parsed(fixtures::make_model({.architecture = "gpt-oss",
                                                 .layers = 2,
                                                 .window = 6,
                                                 .experts = 8,
                                                 .experts_used = 2,
                                                 .sinks = true,
                                                 .feed_forward_norm = "post_attention_norm"})))
          .value();
  const auto mask_of = [&](std::string_view node) {
    return decoder->node(find(*decoder, node).inputs.at(3).node).name;
  };
  EXPECT_EQ(mask_of("fattn-0"), "self_kq_mask_swa");
  EXPECT_EQ(mask_of("fattn-1"), "self_kq_mask");
  EXPECT_EQ(decoder->node(find(*decoder, "fattn-1").inputs.at(4).node).name, "blk.1.attn_sinks.weight");
}

TEST(Architecture, LongRopeChoosesItsFactorsByTheContext) {
  const auto file = parsed(fixtures::make_model(fixtures::fixture("phi3-long-gqa").spec));
  const auto factors = [&](int64_t context) {
    BuildOptions options;
    options.context = context;
    const auto decoder = build_decoder(file, options).value();
    return std::string(decoder->node(find(*decoder, "Qcur_rope-1").inputs.at(2).node).name);
  };
  EXPECT_EQ(factors(16), "rope_factors_short.weight");
  EXPECT_EQ(factors(17), "rope_factors_long.weight");
  EXPECT_EQ(factors(0), "rope_factors_long.weight") << "trained for more than the original context";
}

TEST(Architecture, FusedTensorsAreOneProductEach) {
  const auto decoder =
      build_decoder(parsed(fixtures::make_model(fixtures::fixture("phi3-long-gqa").spec))).value();
  EXPECT_EQ(type_of(*decoder, "QKVcur-0"), "f32[1,1,T:token,128:channel]");
  EXPECT_EQ(type_of(*decoder, "ffn_gate_up-0"), "f32[1,1,T:token,192:channel]");
  EXPECT_EQ(type_of(*decoder, "ffn_gate-0"), "f32[1,1,T:token,96:channel]");
}

// ---- Another family is one function and one row ----

// Falcon's order in Llama's clothes: attention and feed-forward both read one norm, and both are added at
// once.
Result<std::unique_ptr<decoder::Decoder>> build_variant(std::shared_ptr<const gguf::File> file,
                                                        const BuildOptions& options) {
  TENON_ASSIGN(Transformer model, begin_transformer(std::move(file), options));
  TENON_ASSIGN(Edge x, token_embedding(model));
  for (int64_t layer = 0; layer < model.hyperparameters.layers; ++layer) {
    TENON_ASSIGN(const Edge y,
                 norm(model, x, layer_tensor("attn_norm.weight", layer), layer_node("norm", layer)));
    TENON_ASSIGN(const Edge attention, self_attention(model, y, layer, {decoder::RopeMode::kNeox}));
    TENON_ASSIGN(const Edge network, swiglu_feed_forward(model, y, layer, ScalePlace::kAfterBias));
    x = model.graph.add(x, attention, layer_node("attended", layer));
    x = model.graph.add(x, network, layer_node("l_out", layer));
  }
  x = model.graph.get_rows(x, model.output_rows, "rows");
  return finish_transformer(std::move(model), x);
}

TEST(Architecture, AVariantIsOneFunctionAndOneRow) {
  gguf::Writer writer;
  writer.set("general.architecture", "llama-variant");
  const auto set = [&](std::string_view key, uint32_t value) {
    writer.set("llama-variant." + std::string(key), value);
  };
  set("block_count", 1);
  set("embedding_length", 12);
  set("attention.head_count", 3);
  set("attention.head_count_kv", 1);
  set("feed_forward_length", 20);
  set("context_length", 64);
  set("vocab_size", 7);
  writer.set("llama-variant.attention.layer_norm_rms_epsilon", 1e-5f);
  const auto add = [&](std::string_view name, const std::vector<int64_t>& extents) {
    writer.add_tensor(name, ElementType::kF32, extents, [](std::span<std::byte>) {});
  };
  add("token_embd.weight", {7, 12});
  add("output_norm.weight", {12});
  add("blk.0.attn_norm.weight", {12});
  add("blk.0.attn_q.weight", {12, 12});
  add("blk.0.attn_k.weight", {4, 12});
  add("blk.0.attn_v.weight", {4, 12});
  add("blk.0.attn_output.weight", {12, 12});
  add("blk.0.ffn_gate.weight", {20, 12});
  add("blk.0.ffn_up.weight", {20, 12});
  add("blk.0.ffn_down.weight", {12, 20});

  const Architecture known[] = {{"llama", build_llama}, {"llama-variant", build_variant}};
  const auto decoder = build_decoder(parsed(writer), {}, known);
  ASSERT_TRUE(decoder.ok()) << decoder.error().message();
  EXPECT_EQ(find(**decoder, "ffn_gate-0").inputs[1], find(**decoder, "Qcur-0").inputs[1]);
  EXPECT_EQ(type_of(**decoder, "result_output"), "f32[1,1,R:token,7:channel]");
}

}  // namespace
}  // namespace tenon::arch
