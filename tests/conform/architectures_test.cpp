// Whole models against the logits that llama.cpp gives for them, on the references.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "tenon/arch/architecture.h"
#include "tenon/pass/pipeline.h"
#include "tests/conform/reference_session.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::conform {
namespace {

const test::Breaker other_pairs("E3_rope_pairs_of_the_other_mode",
                                "NEOX pairs for NORMAL ones and the reverse");
const test::Breaker no_factors("E3_rope_freqs_ignored", "rope_freqs.weight is left out");
const test::Breaker no_scaling("E3_rope_scaling_ignored", "positions are not interpolated");
const test::Breaker no_blend("E3_yarn_as_linear", "YaRN interpolates every frequency");
const test::Breaker no_bias("E3_qkv_bias_ignored", "Q is not biased");
const test::Breaker wider("E3_window_plus_1", "layers with a window see one token more");
const test::Breaker narrower("E3_window_minus_1", "layers with a window see one token less");
const test::Breaker one_base("E3_one_rope_base", "every layer has the RoPE base 1000000");
const test::Breaker no_value_norm("E3_value_norm_ignored", "V is not normed");
const test::Breaker no_softcap("E3_logit_softcap_ignored", "the logits are not capped");
const test::Breaker whole_head("E3_rope_over_the_whole_head",
                               "a partial rotation turns the rest of the head too");
const test::Breaker no_gate("E3_output_gate_ignored", "attention's output is not gated");
const test::Breaker no_skip("E3_scan_without_skip", "a scan's input does not go past it");
const test::Breaker long_keys("E3_delta_keys_by_their_mean",
                              "a delta-net's keys are normalised by the mean of squares, not by the sum");
const test::Breaker first_inputs("E3_convolution_keeps_its_first_inputs",
                                 "the convolution remembers the first inputs of a step, not the last");

const test::Breaker raw_magnitude("E3_rope_attention_factor_ignored", "RoPE keeps the length of heads");
const test::Breaker up_as_gate("E3_gate_and_up_swapped", "of a fused tensor the second half is the gate");
const test::Breaker norm_after("E3_head_norm_after_rope", "the heads of Q and K are normed after RoPE");
const test::Breaker no_sinks("E3_attention_without_sinks", "sinks are left out");
const test::Breaker next_expert("E3_next_expert", "each token takes the experts that follow its best one");
const test::Breaker raw_weights("E3_experts_not_normalised", "the chosen experts' weights keep their sum");

constexpr double kLargestError = 1e-7;  // NMSE of a row of logits
constexpr int64_t kContext = 512;       // as llama.cpp had it: RoPE may depend on it

// A norm of heads is RMS_NORM, whose result RoPE only turns, and MUL by the weights: MUL and the ROPE that
// reads it trade places.
void norm_after_rope(const decoder::Decoder& decoder, decoder::NodeView& node) {
  const auto is_norm = [](const decoder::NodeView& view) {
    return view.op == "MUL" && view.name.find("cur_normed-") != std::string_view::npos;
  };
  if (is_norm(node)) {
    for (size_t i = 0; i < decoder.node_count(); ++i) {
      const decoder::NodeView rope = decoder.node(i);
      if (rope.op != "ROPE" || decoder.node(rope.inputs[0].node).name != node.name) continue;
      node.op = "ROPE";
      node.attributes = rope.attributes;
      node.inputs.resize(1);
      node.inputs.insert(node.inputs.end(), rope.inputs.begin() + 1, rope.inputs.end());
      return;
    }
  } else if (node.op == "ROPE" && is_norm(decoder.node(node.inputs[0].node))) {
    const decoder::NodeView norm = decoder.node(node.inputs[0].node);
    node.op = "MUL";
    node.attributes = {};
    node.inputs = {node.inputs[0], norm.inputs[1]};
  }
}

void put_fault_in_experts(decoder::NodeView& node) {
  if (next_expert.active() && node.name.starts_with("ffn_moe_topk-"))
    std::get<decoder::ViewAttributes>(node.attributes).start = 1;
  if (raw_weights.active() && node.name.starts_with("ffn_moe_weights_norm-")) {
    node.op = "CONT";
    node.inputs.resize(1);
  }
}

void put_fault_in(decoder::NodeView& node) {
  put_fault_in_experts(node);
  if (no_sinks.active() && node.op == "FLASH_ATTN_EXT") node.inputs.resize(4);
  if (auto* rope = std::get_if<decoder::RopeAttributes>(&node.attributes)) {
    if (other_pairs.active()) {
      rope->mode =
          rope->mode == decoder::RopeMode::kNeox ? decoder::RopeMode::kNormal : decoder::RopeMode::kNeox;
    }
    if (no_factors.active()) node.inputs.resize(2);
    if (no_scaling.active()) rope->freq_scale = 1;
    if (no_blend.active()) rope->ext_factor = 0;
    if (raw_magnitude.active()) rope->attn_factor = 1;
    if (one_base.active()) rope->freq_base = 1000000;
    if (whole_head.active()) rope->n_rot = node.outputs[0].dim(-1).value();
  }
  if (auto* mask = std::get_if<decoder::Mask>(&node.leaf);
      mask && mask->structure == decoder::MaskStructure::kWindow) {
    if (wider.active()) ++mask->window;
    if (narrower.active()) --mask->window;
  }
  const bool left_out = (no_bias.active() && node.name.starts_with("Qcur_b-")) ||
                        (no_value_norm.active() && node.name.starts_with("Vcur_normed-")) ||
                        (no_softcap.active() && node.op == "TANH") ||
                        (no_gate.active() && node.name.starts_with("attn_gated-")) ||
                        (no_skip.active() && node.name.starts_with("mamba2_y_add_d-")) ||
                        (long_keys.active() && node.name.starts_with("k_conv_predelta-"));
  if (left_out) {
    node.op = "CONT";
    node.attributes = {};
    node.inputs.resize(1);
  }
  if (up_as_gate.active() && node.op == "SWIGLU" && node.name.starts_with("ffn_swiglu-"))
    std::swap(node.inputs[0], node.inputs[1]);
  if (first_inputs.active() && node.name.starts_with("conv_state-"))
    std::get<decoder::ViewAttributes>(node.attributes).start = 0;
}

// [tokens][vocabulary]: the exact logits where llama.cpp rounds operands of quantised weights.
std::vector<std::vector<double>> expected_logits(std::string_view name) {
  const auto file =
      gguf::File::open(TENON_SOURCE_DIR "/tests/golden/logits/" + std::string(name) + ".gguf").value();
  const gguf::TensorInfo* tensor = file->find_tensor("exact");
  if (!tensor) tensor = file->tensor("logits").value();
  std::vector<float> values(tensor->data.size() / sizeof(float));
  std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
  std::vector<std::vector<double>> out;
  for (auto row = values.begin(); row != values.end(); row += tensor->extents[1]) {
    out.emplace_back(row, row + tensor->extents[1]);
  }
  return out;
}

double normalised_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = 0, scale = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (found.at(i) - expected[i]) * (found.at(i) - expected[i]);
    scale += expected[i] * expected[i];
  }
  return error / scale;
}

Result<ir::Model> convert(const fixtures::Fixture& fixture) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(fixture.spec).to_bytes());
  TENON_ASSIGN(const auto file, gguf::File::parse(*bytes, bytes));
  arch::BuildOptions options;
  options.cache_element = ElementType::kF32;
  options.context = kContext;
  TENON_ASSIGN(const std::unique_ptr<decoder::Decoder> decoder, arch::build_decoder(file, options));
  return pass::convert(test::EditedDecoder(*decoder, [&](decoder::NodeView& node) {
    put_fault_in(node);
    if (norm_after.active()) norm_after_rope(*decoder, node);
  }));
}

TEST(E3_Architectures, ReferenceAgreesWithLlamaCppInEveryRow) {
  ASSERT_FALSE(fixtures::catalogue().empty());
  for (const fixtures::Fixture& fixture : fixtures::catalogue()) {
    SCOPED_TRACE(fixture.name);
    const Result<ir::Model> model = convert(fixture);
    ASSERT_TRUE(model.ok()) << model.error().message();
    const std::vector<std::vector<double>> expected = expected_logits(fixture.name);
    ReferenceSession session(*model);
    auto next = fixture.tokens.begin();
    size_t row = 0;
    double worst = 0;
    for (const int32_t length : fixture.split) {
      for (const std::vector<double>& logits : session.step({next, next + length})) {
        const double error = normalised_error(logits, expected.at(row++));
        if (!(error <= worst)) worst = error;  // not a number counts, too
      }
      next += length;
    }
    EXPECT_EQ(row, expected.size());
    EXPECT_LE(worst, kLargestError);
    std::cout << fixture.name << ": worst NMSE of a row " << worst << '\n';
  }
}

}  // namespace
}  // namespace tenon::conform
