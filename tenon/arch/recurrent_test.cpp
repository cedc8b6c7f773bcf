// Families with recurrent states: what they declare, and what they refuse.
#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/arch/architecture.h"
#include "tests/fixtures/catalogue.h"

namespace tenon::arch {
namespace {

using decoder::NodeView;

Result<std::unique_ptr<decoder::Decoder>> build(const fixtures::ModelSpec& spec) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(spec).to_bytes());
  return build_decoder(gguf::File::parse(*bytes, bytes).value());
}
std::unique_ptr<decoder::Decoder> built(std::string_view fixture) {
  return build(fixtures::fixture(fixture).spec).value();
}

// The node of that name; one without a name where there is none.
NodeView find(const decoder::Decoder& decoder, std::string_view name) {
  for (size_t i = 0; i < decoder.node_count(); ++i) {
    if (decoder.node(i).name == name) return decoder.node(i);
  }
  return {};
}

std::vector<std::string> outputs_of(const decoder::Decoder& decoder) {
  std::vector<std::string> out;
  for (const decoder::Output& output : decoder.outputs()) out.push_back(output.name);
  return out;
}

TEST(RecurrentFamilies, Mamba2HasStatesAndNothingOfAttention) {
  const auto decoder = built("mamba2-groups");
  const NodeView inputs = find(*decoder, "cache_r_l1"), memory = find(*decoder, "cache_s_l1");
  EXPECT_EQ(std::get<decoder::RecurrentState>(inputs.leaf).layer, 1);
  EXPECT_EQ(inputs.outputs[0].to_string(), "f32[1,1,192:channel,3:position]");
  EXPECT_EQ(std::get<decoder::RecurrentState>(memory.leaf).layer, 1);
  EXPECT_EQ(memory.outputs[0].to_string(), "f32[1,6:head,16:head_size,24:channel]");
  EXPECT_EQ(outputs_of(*decoder),
            (std::vector<std::string>{"logits", "cache_r_l0", "cache_s_l0", "cache_r_l1", "cache_s_l1",
                                      "cache_r_l2", "cache_s_l2"}));
  for (const char* const name : {"inp_pos", "inp_kv_idx", "self_kq_mask"})
    EXPECT_EQ(find(*decoder, name).name, "") << name;
}

TEST(RecurrentFamilies, Qwen35HasStatesAndCachesByLayer) {
  const auto decoder = built("qwen35-gqa");
  EXPECT_EQ(find(*decoder, "inp_pos").outputs[0].to_string(), "i32[1,1,1,4*T:token]");
  EXPECT_EQ(outputs_of(*decoder),
            (std::vector<std::string>{"logits", "cache_r_l0", "cache_s_l0", "cache_r_l1", "cache_s_l1",
                                      "cache_r_l2", "cache_s_l2", "cache_k_l3", "cache_v_l3", "cache_r_l4",
                                      "cache_s_l4"}));
  const auto mask = std::get<decoder::Mask>(find(*decoder, "self_kq_mask").leaf);
  EXPECT_EQ(decoder->node(mask.positions.node).outputs[0].to_string(), "i32[1,1,1,T:token]");
  const auto rope = std::get<decoder::RopeAttributes>(find(*decoder, "Qcur_rope-3").attributes);
  EXPECT_EQ(rope.sections, (std::array<int64_t, 4>{3, 3, 2, 0}));
  EXPECT_EQ(rope.n_rot, 16);
}

TEST(RecurrentFamilies, LayersThatDraftTokensAreNotRun) {
  const auto decoder = built("qwen35-mqa-drafting");
  EXPECT_EQ(find(*decoder, "l_out-3").name, "l_out-3");
  for (size_t i = 0; i < decoder->node_count(); ++i)
    EXPECT_FALSE(decoder->node(i).name.starts_with("blk.4.")) << decoder->node(i).name;
}

TEST(RecurrentFamilies, WhatTheGraphsDoNotCoverIsRefusedByKey) {
  fixtures::ModelSpec spec = fixtures::fixture("qwen35-gqa").spec;
  spec.recurrent->head_size = 32;  // of values; keys have 16
  EXPECT_EQ(build(spec).error().message(),
            "qwen35.ssm.inner_size: wanted 6 heads of ssm.state_size 16, found 192");
  spec = fixtures::fixture("qwen35-gqa").spec;
  spec.recurrent->rope_sections = {0, 0, 0, 0};
  EXPECT_EQ(build(spec).error().message(),
            "qwen35.rope.dimension_sections: wanted four counts, not all of them 0, found 4 counts");
  spec.recurrent->rope_sections = {3, 3};
  EXPECT_EQ(build(spec).error().message(),
            "qwen35.rope.dimension_sections: wanted four counts, not all of them 0, found 2 counts");
  spec = fixtures::fixture("mamba2-groups").spec;
  spec.recurrent->heads = 5;
  EXPECT_EQ(build(spec).error().message(),
            "mamba2.ssm.group_count: wanted a divisor of the 5 heads, found 2");
}

}  // namespace
}  // namespace tenon::arch
