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

constexpr double kLargestError = 1e-7;  // NMSE of a row of logits

void put_fault_in(decoder::NodeView& node) {
  if (auto* rope = std::get_if<decoder::RopeAttributes>(&node.attributes)) {
    if (other_pairs.active()) {
      rope->mode =
          rope->mode == decoder::RopeMode::kNeox ? decoder::RopeMode::kNormal : decoder::RopeMode::kNeox;
    }
    if (no_factors.active()) node.inputs.resize(2);
    if (no_scaling.active()) rope->freq_scale = 1;
    if (no_blend.active()) rope->ext_factor = 0;
  }
  if (no_bias.active() && node.name.starts_with("Qcur_b-")) {
    node.op = "CONT";
    node.inputs.resize(1);
  }
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
  TENON_ASSIGN(const std::unique_ptr<decoder::Decoder> decoder, arch::build_decoder(file, options));
  return pass::convert(test::EditedDecoder(*decoder, put_fault_in));
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
        worst = std::max(worst, normalised_error(logits, expected.at(row++)));
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
