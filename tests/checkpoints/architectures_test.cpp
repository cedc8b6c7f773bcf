// Whole models against llama.cpp's logits, on the references and on every instruction set: own fixtures,
// whose logits are committed, and models of llama.cpp's generator, which `make oracle` leaves in the cache.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "tests/checkpoints/model_runner.h"
#include "tests/checkpoints/oracle_files.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"

namespace tenon::checkpoints {
namespace {

const test::Breaker other_pairs("E3_other_rope_pairs_at_run_time",
                                "NEOX pairs for NORMAL ones and the reverse");
const test::Breaker no_window("E3_attention_sees_all_keys", "attention is not causal");

constexpr double kLargestError = 1e-7;  // NMSE of a row of logits
constexpr int64_t kContext = 512;       // as llama.cpp had it: RoPE may depend on it

void put_fault_in(decoder::NodeView& node) {
  if (auto* rope = std::get_if<decoder::RopeAttributes>(&node.attributes); rope && other_pairs.active()) {
    rope->mode =
        rope->mode == decoder::RopeMode::kNeox ? decoder::RopeMode::kNormal : decoder::RopeMode::kNeox;
  }
  if (auto* mask = std::get_if<decoder::Mask>(&node.leaf); mask && no_window.active()) {
    mask->structure = decoder::MaskStructure::kBidirectional;
  }
}

struct Expected {
  std::vector<int32_t> tokens;
  std::vector<float> logits;  // [tokens, vocabulary]
};

template <class T>
std::vector<T> values_of(const gguf::TensorInfo& tensor) {
  std::vector<T> out(tensor.data.size() / sizeof(T));
  std::memcpy(out.data(), tensor.data.data(), tensor.data.size());
  return out;
}

// `exact` where llama.cpp rounds operands of quantised weights.
Expected expected_of(const std::string& path) {
  const auto file = gguf::File::open(path).value();
  const gguf::TensorInfo* logits = file->find_tensor("exact");
  if (!logits) logits = file->tensor("logits").value();
  return {values_of<int32_t>(*file->tensor("tokens").value()), values_of<float>(*logits)};
}

// The largest NMSE of a row, over a prefill of several tokens, one decode, and an append of two.
double worst_row(const std::shared_ptr<const gguf::File>& file, const std::string& runtime,
                 const Expected& expected) {
  const auto sequence = open_sequence(file, {.runtime = runtime, .context = kContext, .edit = put_fault_in});
  const auto count = static_cast<std::ptrdiff_t>(expected.tokens.size());
  const size_t width = expected.logits.size() / expected.tokens.size();
  const std::ptrdiff_t lengths[] = {count - 3, 1, 2};
  double worst = 0;
  auto next = expected.tokens.begin();
  const float* wanted = expected.logits.data();
  for (const std::ptrdiff_t length : lengths) {
    for (const std::vector<float>& row : step(*sequence, {next, next + length})) {
      double error = 0, scale = 0;
      for (size_t i = 0; i < width; ++i) {
        error += (row.at(i) - wanted[i]) * (row.at(i) - wanted[i]);
        scale += wanted[i] * wanted[i];
      }
      if (!(error / scale <= worst)) worst = error / scale;  // not a number counts, too
      wanted += width;
    }
    next += length;
  }
  EXPECT_EQ(wanted, expected.logits.data() + expected.logits.size()) << "every row is compared";
  return worst;
}

void expect_agreement(const std::shared_ptr<const gguf::File>& file, const std::string& name,
                      const Expected& expected) {
  for (const std::string& runtime : runtimes()) {
    const double worst = worst_row(file, runtime, expected);
    std::cout << name << " on " << runtime << ": worst NMSE of a row " << worst << '\n';
    EXPECT_LE(worst, kLargestError) << name << " on " << runtime;
  }
}

bool is_quantised(const gguf::File& file) {
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [](const gguf::TensorInfo& tensor) { return is_block(tensor.element); });
}

TEST(E3_Runtimes, FixturesAgreeWithLlamaCppInEveryRow) {
  int compared = 0;
  for (const fixtures::Fixture& fixture : fixtures::catalogue()) {
    const auto bytes =
        std::make_shared<std::vector<std::byte>>(fixtures::make_model(fixture.spec).to_bytes());
    const auto file = gguf::File::parse(*bytes, bytes).value();
    if (is_quantised(*file)) continue;  // judged as quantised against quantised: Q3
    const std::string name(fixture.name);
    expect_agreement(file, name, expected_of(TENON_SOURCE_DIR "/tests/golden/logits/" + name + ".gguf"));
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

TEST(E3_Runtimes, GeneratedModelsAgreeWithLlamaCppInEveryRow) {
  for (const std::string architecture :
       {"gemma3", "gpt-oss", "llama", "mamba2", "phi3", "qwen2", "qwen3", "qwen35", "qwen3moe"}) {
    for (const std::string seed : {"1", "2", "3"}) {
      const std::string name = architecture + "-seed" + seed;
      const auto file = gguf::File::open(oracle_path("archs/" + name + ".gguf").string()).value();
      expect_agreement(file, name, expected_of(oracle_path("archs/" + name + ".logits.gguf").string()));
    }
  }
}

}  // namespace
}  // namespace tenon::checkpoints
