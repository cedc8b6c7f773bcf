// What Gemma's files may say of their layers, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "tenon/arch/architecture.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::arch {
namespace {

std::shared_ptr<const gguf::File> file_of(const fixtures::ModelSpec& spec) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(spec).to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

fixtures::ModelSpec spec_of(std::string_view name) { return fixtures::fixture(name).spec; }

const decoder::NodeView* find(const std::vector<decoder::NodeView>& nodes, std::string_view name) {
  for (const decoder::NodeView& node : nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

class Built {
 public:
  explicit Built(const fixtures::ModelSpec& spec) : decoder_(build_decoder(file_of(spec)).value()) {
    for (size_t i = 0; i < decoder_->node_count(); ++i) nodes_.push_back(decoder_->node(i));
  }

  const decoder::NodeView& node(std::string_view name) const {
    const decoder::NodeView* const found = find(nodes_, name);
    if (found == nullptr) throw std::runtime_error("no node " + std::string(name));
    return *found;
  }
  bool has(std::string_view name) const { return find(nodes_, name) != nullptr; }
  // The name of what an input of a node reads.
  std::string_view input(std::string_view name, size_t index) const {
    return nodes_.at(node(name).inputs.at(index).node).name;
  }
  double rope_base(std::string_view name) const {
    return std::get<decoder::RopeAttributes>(node(name).attributes).freq_base;
  }

 private:
  std::unique_ptr<decoder::Decoder> decoder_;
  std::vector<decoder::NodeView> nodes_;
};

std::string refusal(const fixtures::ModelSpec& spec) {
  const auto decoder = build_decoder(file_of(spec));
  return decoder.ok() ? "" : decoder.error().message();
}

TEST(Gemma3, EverySixthLayerSeesAllTokens) {
  const Built model(spec_of("gemma3-gqa"));
  for (int layer = 0; layer < 7; ++layer) {
    const std::string number = std::to_string(layer);
    const bool full = layer == 5;
    EXPECT_EQ(model.input("fattn-" + number, 3), full ? "self_kq_mask" : "self_kq_mask_swa") << layer;
    EXPECT_EQ(model.rope_base("Qcur_rope-" + number), full ? 1000000 : 10000) << layer;
  }
  const auto& mask = std::get<decoder::Mask>(model.node("self_kq_mask_swa").leaf);
  EXPECT_EQ(mask.structure, decoder::MaskStructure::kWindow);
  EXPECT_EQ(mask.window, 5);
}

TEST(Gemma3, AFileWithoutAWindowHasNone) {
  fixtures::ModelSpec spec = spec_of("gemma3-gqa");
  spec.window = 0;
  const Built model(spec);
  EXPECT_FALSE(model.has("self_kq_mask_swa"));
  EXPECT_EQ(model.rope_base("Qcur_rope-0"), 1000000);
}

TEST(Gemma3, FlagsMustBeOneForEachLayer) {
  fixtures::ModelSpec spec = spec_of("gemma3-gqa");
  spec.window_layers = {true, false};
  EXPECT_EQ(refusal(spec),
            "gemma3.attention.sliding_window_pattern: wanted 7 flags, one for each layer, found 2");
}

TEST(Gemma3, TheScaleOf27BIsKnownByItsLayers) {
  fixtures::ModelSpec spec = spec_of("gemma3-gqa");
  const auto scale = [](const fixtures::ModelSpec& of) {
    return std::get<decoder::AttentionAttributes>(Built(of).node("fattn-0").attributes).scale;
  };
  EXPECT_FLOAT_EQ(static_cast<float>(scale(spec)), 1 / std::sqrt(24.0f));
  spec.layers = 62;
  EXPECT_FLOAT_EQ(static_cast<float>(scale(spec)), 1 / std::sqrt(64.0f / 4.0f));
}

TEST(Gemma4, LateLayersReadTheCachesOfTheLastOfTheirKind) {
  const Built model(spec_of("gemma4-shared-kv"));
  EXPECT_EQ(model.input("fattn-4", 1), "cache_k_l2.write") << "with a window";
  EXPECT_EQ(model.input("fattn-5", 1), "cache_k_l3.write");
  EXPECT_EQ(model.input("fattn-5", 2), "cache_v_l3.write");
  EXPECT_FALSE(model.has("cache_k_l4"));
  EXPECT_EQ(model.node("cache_k_l2").outputs[0].to_string(), "f16[1,KV:position,2:head,16:head_size]");
  EXPECT_EQ(model.node("cache_k_l3").outputs[0].to_string(), "f16[1,KV:position,2:head,32:head_size]");
}

TEST(Gemma4, OnlyLayersWithoutAWindowDivideTheirFrequencies) {
  const Built model(spec_of("gemma4-shared-kv"));
  EXPECT_EQ(model.node("Qcur_rope-0").inputs.size(), 2u);
  EXPECT_EQ(model.input("Qcur_rope-3", 2), "rope_freqs.weight");
}

TEST(Gemma4, RefusesLayersThatShareWithOneOfAnotherKind) {
  fixtures::ModelSpec spec = spec_of("gemma4-shared-kv");
  spec.window_layers = {true, true, false, true, true, false};
  EXPECT_EQ(refusal(spec),
            "gemma4.attention.shared_kv_layers: wanted layers that share with one of their kind, of as many "
            "heads, found layer 4 on layer 2");
  spec = spec_of("gemma4-shared-kv");
  spec.gemma4->shared_layers = 5;
  EXPECT_EQ(refusal(spec), "gemma4.attention.shared_kv_layers: wanted at most 4, found 5");
}

TEST(Gemma4, RefusesFactorsThatAreNotThoseOfFullLayers) {
  fixtures::ModelSpec spec = spec_of("gemma4-fused");
  spec.rope_factors = std::vector<float>(11, 1.0f);
  EXPECT_EQ(refusal(spec), "tensor 'rope_freqs.weight': wanted shape [12], found [11]");
}

}  // namespace
}  // namespace tenon::arch
