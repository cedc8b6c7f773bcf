// K1, K5: caches in place and the layout that copies them give the same bits, on every device.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"

namespace tenon::contracts {
namespace {

const test::Breaker other_type("K1_rounded_cache", "the copying layout keeps its caches in f16");
const test::Breaker not_restored("K5_stays_in_place",
                                 "the environment's switch is taken back before it is read");

// One llama and one qwen2, each with fewer key heads than query heads; one of quantised weights.
constexpr const char* kFixtures[] = {"llama-gqa4x2", "llama-mixed-types", "qwen2-bias-gqa"};

struct Outcome {
  bool in_place = false;
  std::vector<std::vector<float>> logits;
};

Outcome run(const fixtures::Fixture& fixture, const test::RunDevice& device, const SessionOptions& options) {
  test::ModelRun run = test::open_run(test::file_of(fixture.spec), test::make_backend(device), options);
  Outcome out;
  for (const plan::OutputBinding& output : run.compiled.plan->outputs) out.in_place |= output.in_place;
  out.logits = run.logits(fixture.tokens, fixture.split);
  return out;
}

void expect_same_bits(const std::vector<std::vector<float>>& found,
                      const std::vector<std::vector<float>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t row = 0; row < found.size(); ++row) EXPECT_EQ(found[row], expected[row]) << "token " << row;
}

TEST(K1_Layouts, GiveBitEqualLogitsOnEveryDevice) {
  for (const test::RunDevice& device : test::run_devices()) {
    for (const char* const name : kFixtures) {
      SCOPED_TRACE(device.title() + " " + name);
      const fixtures::Fixture& fixture = fixtures::fixture(name);
      SessionOptions copy = test::exact_options(StateForm::kStateless);
      if (other_type.active()) copy.kv_type = KvType::kF16;
      const Outcome in_place = run(fixture, device, test::exact_options()),
                    copied = run(fixture, device, copy);
      EXPECT_TRUE(in_place.in_place);
      EXPECT_FALSE(copied.in_place);
      expect_same_bits(copied.logits, in_place.logits);
    }
  }
}

TEST(K1_Layouts, GiveBitEqualLogitsWithRoundedCaches) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const fixtures::Fixture& fixture = fixtures::fixture("llama-gqa4x2");
    SessionOptions in_place = test::exact_options(), copy = test::exact_options(StateForm::kStateless);
    copy.kv_type = KvType::kF16;
    if (!other_type.active()) in_place.kv_type = KvType::kF16;
    expect_same_bits(run(fixture, device, copy).logits, run(fixture, device, in_place).logits);
  }
}

TEST(K5_Switch, OfTheEnvironmentRestoresTheCopyingLayout) {
  for (const test::RunDevice& device : test::run_devices()) {
    SCOPED_TRACE(device.title());
    const fixtures::Fixture& fixture = fixtures::fixture("llama-gqa4x2");
    const Outcome in_place = run(fixture, device, test::exact_options());
    setenv("TENON_DISABLE_KV_4D", not_restored.active() ? "0" : "1", 1);
    const Outcome restored = run(fixture, device, test::exact_options());
    unsetenv("TENON_DISABLE_KV_4D");
    EXPECT_TRUE(in_place.in_place);
    EXPECT_FALSE(restored.in_place);
    expect_same_bits(restored.logits, in_place.logits);
  }
}

}  // namespace
}  // namespace tenon::contracts
