// S18: Tenon's own runtimes evict what no window shows any more, against llama.cpp's evicting caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <numeric>

#include "tenon/op/attention.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"
#include "tests/support/test_name.h"

namespace tenon::contracts {
namespace {

const test::Breaker whole("S18_whole_caches", "layers with a window keep the whole context");
const test::Breaker narrower("S18_window_minus_1", "a query sees one token of its window less");
const test::Breaker other_ring("S18_another_ring", "attention takes the rings for 16 rows shorter");

constexpr int64_t kContext = 512, kStep = 16;

// Attention of rings with a fault.
Status put_fault_in(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Attention") || node->attributes_as<op::AttentionAttributes>().ring == 0) continue;
    auto attributes =
        std::make_unique<op::AttentionAttributes>(node->attributes_as<op::AttentionAttributes>());
    if (narrower.active()) --attributes->window;
    if (other_ring.active()) attributes->ring -= 16;
    std::vector<ir::Value> inputs;
    for (int i = 0; i < node->input_count(); ++i) inputs.push_back(node->input(i));
    TENON_ASSIGN(ir::Node* const faulty, model.add_in_place_of(*node, op::attention_op().schema,
                                                               std::move(inputs), std::move(attributes)));
    TENON_RETURN_IF_ERROR(model.replace_uses(node->output(0), faulty->output(0)));
    model.erase(*node);
  }
  return {};
}

// f32 caches that evict: rings of the window and a step of `step` tokens, in whole 16 rows.
test::ModelRun open(const fixtures::Fixture& fixture, const test::RunDevice& device,
                    WindowCache window_cache = WindowCache::kEvict, int64_t step = kStep) {
  SessionOptions options = test::exact_options();
  options.context = kContext;
  options.max_step_tokens = step;
  options.window_cache = whole.active() ? WindowCache::kFull : window_cache;
  const auto backend = test::make_backend(device);
  test::ModelRun run = test::open_run(test::file_of(fixture.spec), backend, options);
  if (!narrower.active() && !other_ring.active()) return run;
  EXPECT_TRUE(put_fault_in(run.compiled.graph).ok());
  plan::PlanOptions planned;
  planned.workers = backend->workers();
  planned.symbols = {{"T", {1, step}}, {"R", {1, step}}, {"KV", {1, kContext}}};
  run.compiled.plan = plan::make_plan(run.compiled.graph, backend->target(), planned).value();
  const Dim rows = run.compiled.graph.find_result("logits")->input(0).type().dim(-1);
  run.sequence = engine::Sequence::create(backend, run.compiled.plan,
                                          {.context = kContext, .vocabulary_rows = rows.value()})
                     .value();
  return run;
}

// What llama.cpp gave with caches that evict: 330 tokens, the logits of the last 40, by when its 256 cells of
// a window of 5 or 6 have been taken a second time.
struct Judged {
  std::vector<int32_t> tokens, split;
  std::vector<std::vector<float>> logits;
};

template <class T>
std::vector<T> values_of(const gguf::TensorInfo& tensor) {
  std::vector<T> out(tensor.data.size() / sizeof(T));
  std::memcpy(out.data(), tensor.data.data(), tensor.data.size());
  return out;
}

Judged judged(std::string_view name) {
  const auto file =
      gguf::File::open(TENON_SOURCE_DIR "/tests/golden/windows/" + std::string(name) + ".gguf").value();
  const gguf::TensorInfo* exact = file->find_tensor("exact");
  if (!exact) exact = file->tensor("logits").value();
  Judged out{values_of<int32_t>(*file->tensor("tokens").value()),
             file->metadata().array<int32_t>("split").value(),
             {}};
  const std::vector<float> all = values_of<float>(*exact);
  for (auto row = all.begin(); row != all.end(); row += exact->extents[1])
    out.logits.emplace_back(row, row + exact->extents[1]);
  return out;
}

// Equal parts, then what is left.
std::vector<int32_t> parts(int32_t tokens, int32_t length) {
  std::vector<int32_t> out(static_cast<size_t>(tokens / length), length);
  if (tokens % length != 0) out.push_back(tokens % length);
  return out;
}

class S18_Evicting : public testing::TestWithParam<const char*> {
 protected:
  const fixtures::Fixture& fixture() const { return fixtures::fixture(GetParam()); }
  const Judged judged_ = judged(GetParam());
};

TEST_P(S18_Evicting, GivesTheLogitsOfLlamaCppInEveryRow) {
  const std::span<const int32_t> tokens = judged_.tokens;
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    double worst = 0;
    for (const std::vector<int32_t>& split : {judged_.split, parts(330, 13), parts(330, 1)}) {
      if (device.name == "ref" && split.size() > 30) continue;  // slow, and one token is part of the others
      const auto rows = open(fixture(), device).logits(tokens, split);
      ASSERT_EQ(rows.size(), tokens.size());
      for (size_t i = 0; i < judged_.logits.size(); ++i) {
        const double error = test::normalised_error(rows[rows.size() - 40 + i], judged_.logits[i]);
        if (!(error <= worst)) worst = error;
      }
    }
    EXPECT_LE(worst, 1e-7);
    std::cout << GetParam() << ' ' << device.title() << ": worst NMSE of a row " << worst << '\n';
  }
}

TEST_P(S18_Evicting, GivesTheLogitsOfWholeCaches) {
  const std::span<const int32_t> tokens = std::span(judged_.tokens).first(150);
  const std::vector<int32_t> split = {70, 1, 2, 1, 60, 1, 15};
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const auto found = open(fixture(), device).logits(tokens, split);
    const auto expected = open(fixture(), device, WindowCache::kFull).logits(tokens, split);
    double worst = 0;
    for (size_t row = 0; row < expected.size(); ++row)
      worst = std::max(worst, test::normalised_error(found[row], expected[row]));
    EXPECT_LE(worst, 1e-12);
  }
}

// The last step back that the rings still allow, and one more.
TEST_P(S18_Evicting, GoesBackAsFarAsItsWindowIsThere) {
  const std::span<const int32_t> tokens = std::span(judged_.tokens).first(100);
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    test::ModelRun run = open(fixture(), device);
    (void)run.logits(tokens, std::vector<int32_t>{100});
    const Status refused = run.sequence->trim(60);
    ASSERT_FALSE(refused.ok());
    const std::string message = refused.error().message();
    EXPECT_NE(message.find("cache 'cache_k_l"), std::string::npos) << message;
    EXPECT_NE(message.find("to 99, the earlier ones are evicted"), std::string::npos) << message;
    EXPECT_NE(refused.error().remedy.find("--window-cache full"), std::string::npos) << message;
    EXPECT_EQ(run.sequence->length(), 100);

    int64_t least = 100;
    while (run.sequence->can_trim(least - 1)) --least;
    EXPECT_LE(least, 100 - kStep);
    ASSERT_TRUE(run.sequence->trim(least).ok());
    EXPECT_FALSE(run.sequence->trim(least - 1).ok());
    const std::vector<int32_t> other = {tokens[3], tokens[90], tokens[5], tokens[41], tokens[8]};
    const auto found = run.logits(other, std::vector<int32_t>{2, 3});

    test::ModelRun cold = open(fixture(), device, WindowCache::kFull);
    (void)cold.logits(tokens.first(static_cast<size_t>(least)),
                      std::vector<int32_t>{static_cast<int32_t>(least)});
    const auto expected = cold.logits(other, std::vector<int32_t>{2, 3});
    for (size_t row = 0; row < expected.size(); ++row)
      EXPECT_LE(test::normalised_error(found[row], expected[row]), 1e-9) << "row " << row;
    ASSERT_TRUE(run.sequence->trim(0).ok());
    EXPECT_EQ(run.sequence->length(), 0);
  }
}

// Saved by rings and by whole caches, gone on with in rings of another length.
TEST_P(S18_Evicting, GoesOnFromASavedState) {
  const std::span<const int32_t> tokens = judged_.tokens, next = tokens.subspan(100, 20);
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    test::ModelRun rings = open(fixture(), device), caches = open(fixture(), device, WindowCache::kFull);
    for (test::ModelRun* const run : {&rings, &caches})
      (void)run->logits(tokens.first(100), std::vector<int32_t>{100});
    const std::vector<std::byte> saved = rings.sequence->save(), all = caches.sequence->save();
    EXPECT_LT(saved.size(), all.size());
    const auto expected = caches.logits(next, std::vector<int32_t>{20});
    for (const std::vector<std::byte>& state : {saved, all}) {
      test::ModelRun other = open(fixture(), device, WindowCache::kEvict, 2 * kStep);
      ASSERT_TRUE(other.sequence->restore(100, state).ok());
      EXPECT_FALSE(other.sequence->restore(100, std::span(state).first(state.size() - 1)).ok());
      ASSERT_TRUE(other.sequence->trim(99).ok());  // for the logits of the last token
      (void)other.logits(tokens.subspan(99, 1), std::vector<int32_t>{1});
      const auto found = other.logits(next, std::vector<int32_t>{20});
      for (size_t row = 0; row < expected.size(); ++row)
        EXPECT_LE(test::normalised_error(found[row], expected[row]), 1e-9) << "row " << row;
    }
    EXPECT_FALSE(caches.sequence->restore(100, saved).ok()) << "whole caches want every row";
  }
}

// Layers with a window have rings of 32 rows (5 or 6, and 16) instead of 512.
TEST_P(S18_Evicting, TakesTheMemoryOfTheWindow) {
  const test::RunDevice device = test::run_devices().back();
  const test::ModelRun rings = open(fixture(), device);
  size_t bytes = 0;
  int evicting = 0;
  for (const plan::InputBinding& input : rings.compiled.plan->inputs) {
    if (input.parameter.role != ir::ParameterRole::kCache) continue;
    const TensorType& type = input.parameter.type;
    const bool evicts = input.parameter.cache == ir::CacheKind::kWindow;
    evicting += evicts;
    EXPECT_EQ(type.dim(1), Dim(evicts ? 32 : kContext)) << input.parameter.name;
    bytes += static_cast<size_t>((evicts ? 32 : kContext) * type.dim(2).value() * type.dim(3).value()) * 4;
  }
  EXPECT_GE(evicting, 4);
  EXPECT_EQ(rings.sequence->state_bytes(), bytes);
  EXPECT_LT(2 * bytes, open(fixture(), device, WindowCache::kFull).sequence->state_bytes());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, S18_Evicting,
                         testing::Values("gemma3-gqa", "gemma4-shared-kv", "gpt-oss-gqa"),
                         [](const auto& value) { return test::test_name(value.param); });

}  // namespace
}  // namespace tenon::contracts
