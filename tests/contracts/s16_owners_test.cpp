// S16: one model, four owners of its state, the same logits.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/model_run.h"
#include "tests/support/test_name.h"

namespace tenon::contracts {
namespace {

const test::Breaker rounded("S16_rounded_cache", "one owner keeps its caches in f16");
const test::Breaker other_token("S16_other_token", "one owner is fed another first token");
const test::Breaker not_trimmed(
    "S16_second_turn_without_trim",
    "the second turn goes on behind the first instead of after their common part");

constexpr StateForm kForms[] = {StateForm::kStateless, StateForm::kStateful, StateForm::kInPlace,
                                StateForm::kPaged};

const char* name(StateForm form) {
  constexpr const char* kNames[] = {"in place", "stateless", "stateful", "paged"};
  return kNames[static_cast<size_t>(form)];
}

double bound(const test::RunDevice& device) { return device.name == "ref" ? 1e-12 : 1e-9; }

test::ModelRun open(const fixtures::Fixture& fixture, const test::RunDevice& device, StateForm form) {
  SessionOptions options = test::exact_options(form);
  if (rounded.active() && form == StateForm::kPaged) options.kv_type = KvType::kF16;
  return test::open_run(test::file_of(fixture.spec), test::make_backend(device), options);
}

void expect_close(const std::vector<std::vector<float>>& found,
                  const std::vector<std::vector<float>>& expected, double most) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t row = 0; row < found.size(); ++row)
    EXPECT_LE(test::normalised_error(found[row], expected[row]), most) << "token " << row;
}

// Prefill, a decode step, an append of two, then single steps.
std::vector<int32_t> split_of(size_t tokens) {
  std::vector<int32_t> out = {static_cast<int32_t>(tokens) - 5, 1, 2, 1, 1};
  return out;
}

// Kernels of quantised weights round activations, and round them differently in steps of other lengths.
std::vector<fixtures::Fixture> f32_fixtures() {
  std::vector<fixtures::Fixture> out;
  for (const fixtures::Fixture& fixture : fixtures::catalogue()) {
    const auto file = test::file_of(fixture.spec);
    const bool exact =
        std::all_of(file->tensors().begin(), file->tensors().end(),
                    [](const gguf::TensorInfo& tensor) { return tensor.element == ElementType::kF32; });
    if (exact) out.push_back(fixture);
  }
  return out;
}

class S16_Owners : public testing::TestWithParam<fixtures::Fixture> {};

TEST_P(S16_Owners, GiveTheSameLogits) {
  for (const test::RunDevice& device : test::run_devices()) {
    const std::vector<int32_t> split = split_of(GetParam().tokens.size());
    const auto expected = open(GetParam(), device, StateForm::kStateless).logits(GetParam().tokens, split);
    for (const StateForm form : kForms) {
      SCOPED_TRACE(device.title() + ", " + name(form));
      test::ModelRun run = open(GetParam(), device, form);
      std::vector<int32_t> tokens = GetParam().tokens;
      if (other_token.active() && form == StateForm::kPaged) tokens[0] = tokens[1];
      expect_close(run.logits(tokens, split), expected, bound(device));
    }
  }
}

TEST_P(S16_Owners, ASecondTurnIsAsAColdRun) {
  for (const test::RunDevice& device : test::run_devices()) {
    for (const StateForm form : kForms) {
      SCOPED_TRACE(device.title() + ", " + name(form));
      const std::span<const int32_t> first = GetParam().tokens;
      std::vector<int32_t> second(first.begin(), first.begin() + 7);  // then another way
      for (const int32_t token : {first[1], first[9], first[4], first[2]}) second.push_back(token);
      const std::vector<int32_t> rest(second.begin() + 7, second.end());

      test::ModelRun warm = open(GetParam(), device, form);
      (void)warm.logits(first, std::vector<int32_t>{static_cast<int32_t>(first.size())});
      if (warm.sequence->can_trim(7)) {
        if (!not_trimmed.active()) {
          ASSERT_TRUE(warm.sequence->trim(7).ok());
        }
      } else {  // a recurrent state: only from the start
        if (!not_trimmed.active()) {
          warm.sequence->reset();
          (void)warm.logits(first, std::vector<int32_t>{7});
        }
      }
      const auto found = warm.logits(rest, std::vector<int32_t>{static_cast<int32_t>(rest.size())});
      auto expected = open(GetParam(), device, form)
                          .logits(second, std::vector<int32_t>{static_cast<int32_t>(second.size())});
      expected.erase(expected.begin(), expected.begin() + 7);
      expect_close(found, expected, 1e-9);
    }
  }
}

// The state of one owner is that of another: saved under one form, gone on with under the next.
TEST_P(S16_Owners, StatesGoFromOwnerToOwner) {
  for (const test::RunDevice& device : test::run_devices()) {
    const std::vector<int32_t>& tokens = GetParam().tokens;
    const auto expected = open(GetParam(), device, StateForm::kInPlace)
                              .logits(tokens, std::vector<int32_t>{static_cast<int32_t>(tokens.size())});
    const std::span<const int32_t> all = tokens;
    std::vector<test::ModelRun> owners;
    for (const StateForm form : kForms) owners.push_back(open(GetParam(), device, form));
    std::vector<int32_t> prompt(tokens.begin(), tokens.begin() + 9);
    if (other_token.active()) prompt[0] = prompt[1];
    (void)owners[0].logits(prompt, std::vector<int32_t>{6, 3});
    for (size_t i = 0; i < 4; ++i) {  // each gives what it holds to the next, which appends two tokens
      SCOPED_TRACE(device.title() + ", " + name(kForms[i]) + " to " + name(kForms[(i + 1) % 4]));
      engine::Sequence &from = *owners[i].sequence, &to = *owners[(i + 1) % 4].sequence;
      ASSERT_EQ(from.length(), static_cast<int64_t>(9 + 2 * i));
      ASSERT_TRUE(to.restore(from.length(), from.save()).ok());
      const auto past = static_cast<size_t>(from.length());
      const auto found = owners[(i + 1) % 4].logits(all.subspan(past), std::vector<int32_t>{2});
      ASSERT_EQ(found.size(), 2u);
      for (size_t t = 0; t < 2; ++t) EXPECT_LE(test::normalised_error(found[t], expected[past + t]), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, S16_Owners, testing::ValuesIn(f32_fixtures()),
                         [](const auto& value) { return test::test_name(value.param.name); });

}  // namespace
}  // namespace tenon::contracts
