// L10: the paged form: its inputs, and the numbers of the attention form.
#include <gtest/gtest.h>

#include <algorithm>

#include "tenon/arch/architecture.h"
#include "tenon/gguf/file.h"
#include "tenon/op/attention.h"
#include "tenon/op/paged_attention.h"
#include "tenon/op/reshape.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/contracts/tiny_transformer.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;
using op::HostTensors;
using pass::make_stateful;

const test::Breaker not_paged("L10_not_paged", "sdpa_to_paged does not run");
const test::Breaker mask_forgotten("L10_mask_forgotten", "every mask is taken for a causal one");
const test::Breaker blocks_swapped("L10_blocks_swapped",
                                   "a sequence's blocks change places between two steps");
const test::Breaker positions_off("L10_positions_off", "paged tokens stand one position further");

constexpr int64_t kBlock = 4;

ir::Pass put_faults_in() {
  return fault_pass([](ir::Model& model) {
    if (!mask_forgotten.active()) return;
    for (ir::Node* const node : model.topological_order()) {
      if (!node->is("Attention")) continue;
      auto attributes = node->attributes_as<op::AttentionAttributes>();
      attributes.structure = ir::MaskKind::kCausal;
      with_attributes(model, *node, attributes.clone());
    }
  });
}

Result<ir::Model> paged_form(const decoder::Decoder& decoder, std::vector<ir::Pass> then = {}) {
  std::vector<ir::Pass> passes = {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai(),
                                  put_faults_in()};
  if (!not_paged.active()) passes.push_back(pass::sdpa_to_paged({.block_size = kBlock}));
  passes.insert(passes.end(), then.begin(), then.end());
  return try_convert(decoder, passes);
}

TEST(L10_Paged, HasOpenVinosInputsAndNoStateOfItsOwn) {
  const ir::Model model = paged_form(TinyTransformer().decoder()).value();
  std::vector<std::string> inputs = typed_inputs(model);
  std::sort(inputs.begin(), inputs.end());
  EXPECT_EQ(inputs,
            (std::vector<std::string>{"block_indices i32[n_block_indices]", "block_indices_begins i32[N+1]",
                                      "input_ids i64[T]", "key_cache.0 f32[blocks,2,4,8]",
                                      "max_context_len i32[]", "past_lens i32[N]", "position_ids i64[T]",
                                      "subsequence_begins i32[N+1]", "value_cache.0 f32[blocks,2,4,8]"}));
  for (const auto& [op, count] : {std::pair{"PagedAttention", 1},
                                  {"Attention", 0},
                                  {"ReadValue", 0},
                                  {"Assign", 0},
                                  {"ScatterUpdate", 0},
                                  {"SetRows", 0}})
    EXPECT_EQ(model.count(op), count) << op;
  const ir::Node* const attention = find_op(model, "PagedAttention");
  ASSERT_NE(attention, nullptr);
  const Dim tokens = Dim::symbol("T");
  EXPECT_EQ(attention->input(op::kPagedQ).type().dims(), (std::vector<Dim>{tokens, 32}));
  EXPECT_EQ(attention->input(op::kPagedK).type().dims(), (std::vector<Dim>{tokens, 16}));
  EXPECT_EQ(attention->input(op::kPagedV).type().dims(), (std::vector<Dim>{tokens, 16}));
  ASSERT_EQ(model.results().size(), 1u);
  EXPECT_EQ(model.find_result("logits")->input(0).type().dims(), (std::vector<Dim>{tokens, 1, 9}));
}

// Logits of one sequence alone, token by token, of the attention form.
std::vector<double> alone(const decoder::Decoder& decoder, const std::string& runtime,
                          const std::vector<double>& ids) {
  const ir::Model model =
      try_convert(decoder, {make_stateful({.dynamic_batch = true}), pass::adapt_to_genai()}).value();
  StepByStep steps(model, runtime);
  std::vector<double> out;
  for (size_t t = 0; t < ids.size(); ++t) {
    const auto length = static_cast<int64_t>(t + 1);
    const HostTensor logits = steps.run({{"input_ids", i64({1, 1}, {ids[t]})},
                                         {"attention_mask", i64({1, length}, std::vector<double>(t + 1, 1))},
                                         {"position_ids", i64({1, 1}, {static_cast<double>(t)})},
                                         {"beam_idx", beams()}})["logits"];
    for (const double x : logits.values()) out.push_back(x);
  }
  return out;
}

HostTensor empty_cache(int64_t heads, int64_t size) {
  // What a step reads without having written it shows.
  return HostTensor::of(ElementType::kF32, {6, heads, kBlock, size},
                        std::vector<double>(static_cast<size_t>(6 * heads * kBlock * size), 777));
}

struct Step {
  std::vector<double> ids, positions, past, begins;
};

HostTensors inputs_of(const Step& step, const std::vector<double>& blocks, double longest) {
  const auto tokens = static_cast<int64_t>(step.ids.size());
  std::vector<double> positions = step.positions;
  if (positions_off.active()) {
    for (double& position : positions) ++position;
  }
  return {{"input_ids", i64({tokens}, step.ids)},
          {"position_ids", i64({tokens}, positions)},
          {"past_lens", i32({2}, step.past)},
          {"subsequence_begins", i32({3}, step.begins)},
          {"block_indices", i32({static_cast<int64_t>(blocks.size())}, blocks)},
          {"block_indices_begins", i32({3}, {0, 2, static_cast<double>(blocks.size())})},
          {"max_context_len", i32({}, {longest})}};
}

// Two sequences of different lengths over blocks out of order; the second step takes the first one across the
// end of a block. Paged and attention form differ by rounding alone.
void expect_paged_equals_attention(const decoder::Decoder& decoder, const HostTensors& caches, double most) {
  const std::vector<double> first = {7, 2, 5, 0, 1, 3, 8}, second = {4, 4, 6};
  const auto paged = paged_form(decoder);
  ASSERT_TRUE(paged.ok()) << paged.error().message();
  on_every_runtime([&](const std::string& runtime) {
    const std::vector<double> expected_1 = alone(decoder, runtime, first);
    const std::vector<double> expected_2 = alone(decoder, runtime, second);
    const auto width = static_cast<std::ptrdiff_t>(expected_1.size() / first.size());
    StepByStep steps(*paged, runtime, caches);
    const std::vector<double> blocks = {4, 1, 3}, swapped = {1, 4, 3};
    const auto prefill =
        steps.run(inputs_of({{7, 2, 5, 4, 4}, {0, 1, 2, 0, 1}, {0, 0}, {0, 3, 5}}, blocks, 3))["logits"]
            .values();
    const auto append = steps
                            .run(inputs_of({{0, 1, 3, 8, 6}, {3, 4, 5, 6, 2}, {3, 2}, {0, 4, 5}},
                                           blocks_swapped.active() ? swapped : blocks, 7))["logits"]
                            .values();
    std::vector<double> found_1(prefill.begin(), prefill.begin() + 3 * width);
    found_1.insert(found_1.end(), append.begin(), append.begin() + 4 * width);
    std::vector<double> found_2(prefill.begin() + 3 * width, prefill.end());
    found_2.insert(found_2.end(), append.begin() + 4 * width, append.end());
    for (const auto& [found, expected] : {std::pair{&found_1, &expected_1}, {&found_2, &expected_2}}) {
      ASSERT_EQ(found->size(), expected->size());
      double error = 0, scale = 0;
      for (size_t i = 0; i < found->size(); ++i) {
        error += ((*found)[i] - (*expected)[i]) * ((*found)[i] - (*expected)[i]);
        scale += (*expected)[i] * (*expected)[i];
      }
      EXPECT_LE(error / scale, most);
    }
  });
}

TEST(L10_Paged, EqualsTheAttentionForm) {
  if (not_paged.active()) return;
  expect_paged_equals_attention(TinyTransformer().decoder(),
                                {{"key_cache.0", empty_cache(2, 8)}, {"value_cache.0", empty_cache(2, 8)}},
                                1e-9);
}

TEST(L10_Paged, EqualsTheAttentionFormUnderAWindow) {
  if (not_paged.active()) return;
  expect_paged_equals_attention(
      TinyTransformer{.mask = decoder::MaskStructure::kWindow, .window = 3}.decoder(),
      {{"key_cache.0", empty_cache(2, 8)}, {"value_cache.0", empty_cache(2, 8)}}, 1e-9);
}

TEST(L10_Paged, RefusesAMaskOfAnotherStructure) {
  for (const auto mask : {decoder::MaskStructure::kExplicit, decoder::MaskStructure::kBidirectional}) {
    expect_error(paged_form(TinyTransformer{.mask = mask}.decoder()),
                 {"sdpa_to_paged: Attention", "causal or a causal window"});
  }
}

// ---- a model file with rotated heads ----

std::unique_ptr<decoder::Decoder> model_file() {
  const auto bytes = std::make_shared<std::vector<std::byte>>(
      fixtures::make_model(fixtures::fixture("llama-gqa4x2").spec).to_bytes());
  const auto file = gguf::File::parse(*bytes, bytes);
  return arch::build_decoder(*file, {.cache_element = ElementType::kF32}).value();
}

HostTensors model_caches(const ir::Model& model) {
  HostTensors out;
  for (const ir::Node* node : model.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    if (attributes.role == ir::ParameterRole::kCache)
      out[attributes.name] = empty_cache(attributes.type.dim(1).value(), attributes.type.dim(3).value());
  }
  return out;
}

TEST(L10_Paged, OfAModelFileEqualsTheAttentionForm) {
  const auto decoder = model_file();
  const ir::Model paged = paged_form(*decoder).value();
  EXPECT_EQ(paged.count("PagedAttention"), 3);
  if (not_paged.active()) return;
  expect_paged_equals_attention(*decoder, model_caches(paged), 1e-9);
}

// Returns the queries of the first layer as "q".
ir::Pass show_queries() {
  return fault_pass([](ir::Model& model) {
    ir::Node* attention = find_op(model, "PagedAttention");
    if (attention) model.add_result(attention->input(op::kPagedQ), "q");
    if (!attention) model.add_result(find_op(model, "Attention")->input(0).node().input(0), "q");
  });
}

TEST(L10_Paged, TheFirstQueriesOfAPromptAreBitForBitTheAttentionForms) {
  const auto decoder = model_file();
  const auto paged = paged_form(*decoder, {show_queries()});
  const ir::Model attention = try_convert(*decoder, {make_stateful(), show_queries()}).value();
  ASSERT_TRUE(paged.ok()) << paged.error().message();
  if (not_paged.active()) return;
  on_every_runtime([&](const std::string& runtime) {
    const HostTensor expected = StepByStep(attention, runtime)
                                    .run({{"inp_tokens", i32({1, 1, 1, 5}, {7, 2, 5, 0, 1})},
                                          {"inp_pos", i32({1, 1, 1, 5}, {0, 1, 2, 3, 4})},
                                          {"inp_out_ids", i32({1, 1, 1, 5}, {0, 1, 2, 3, 4})},
                                          {"inp_kv_idx", i64({1, 1, 1, 5}, {0, 1, 2, 3, 4})},
                                          {"token_len_per_seq", i64({1}, {5})},
                                          {"self_kq_mask", HostTensor::make(ElementType::kF32, {1, 1, 5, 5})},
                                          {"beam_idx", beams()}})["q"];
    const HostTensor found =
        StepByStep(*paged, runtime, model_caches(*paged))
            .run(inputs_of({{7, 2, 5, 0, 1}, {0, 1, 2, 3, 4}, {0, 0}, {0, 5, 5}}, {4, 1, 3}, 5))["q"];
    EXPECT_EQ(found.extents[0], 5);
    EXPECT_EQ(found.bytes, expected.bytes);
  });
}

}  // namespace
}  // namespace tenon::contracts
