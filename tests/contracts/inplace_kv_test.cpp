// K1, K2, K4, K5: caches written in place, as far as the graph shows it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "tenon/ir/text.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/variadic_split.h"
#include "tenon/pass/lower_set_rows.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/inplace.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/hand_graphs.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;

const test::Breaker copying("K1_copying_layout", "caches keep the layout whose shape grows with the context");
const test::Breaker whole_read("K2_reads_the_whole_cache",
                               "attention reads past the first attention_size tokens");
const test::Breaker no_obstacle("K4_no_obstacle",
                                "what should keep a cache from being converted is not there");
const test::Breaker switched_on("K5_not_switched_off",
                                "the switch that restores the copying layout is ignored");

constexpr int64_t kContext = 12;

ir::Pass read_whole_caches() {
  return {"faults", [](ir::Model& model, ir::PassContext&) -> Result<bool> {
            if (!whole_read.active()) return false;
            for (ir::Node* const node : model.topological_order()) {
              if (!node->is("VariadicSplit")) continue;
              ir::Node& lengths = node->input(1).node();
              TENON_RETURN_IF_ERROR(model.set_input(
                  lengths, 0, model.add_constant(ir::integer_constant(ElementType::kI64, {1}, {kContext}))));
              return true;
            }
            return false;
          }};
}

struct Converted {
  ir::Model model;
  std::vector<ir::PassReport> reports;

  std::string reasons() const {
    std::string out;
    for (const ir::Reason& reason : reports.at(0).reasons) out += reason.node + ": " + reason.text + "\n";
    return out;
  }
};

Converted convert(const decoder::Decoder& decoder,
                  pass::InplaceOptions options = {.stateless_kv = true, .context = kContext}) {
  pass::ConvertOptions convert_options;
  convert_options.extensions = {pass::inplace_kv(options), read_whole_caches()};
  Converted out;
  out.model = pass::convert(decoder, convert_options, &out.reports).value();
  return out;
}

std::string parameter_type(const ir::Model& model, std::string_view name) {
  return model.find_parameter(name)->port_type(0).to_string();
}

// ---- K1 ----

TEST(K1_CacheShape, IsTheWholeBufferWhateverTheLayoutWas) {
  for (const int64_t context : {kContext, 2 * kContext}) {
    for (const auto& graph : {attention_layer(), live_attention_layer()}) {
      const ir::Model model =
          convert(graph, {.stateless_kv = true, .context = context, .disabled = copying.active()}).model;
      const std::string wanted = "f16[1," + std::to_string(context) + ":position,2:head,8:head_size]";
      for (const char* const cache : {"cache_k_l0", "cache_v_l0"}) {
        EXPECT_EQ(parameter_type(model, cache), wanted);
        EXPECT_EQ(model.find_result(cache)->input(0).type().to_string(), wanted);
      }
    }
  }
}

TEST(K1_CacheShape, OfTheCopyingLayoutFollowsTheCachedTokens) {
  const pass::InplaceOptions copy = {
      .stateless_kv = true, .context = kContext, .disabled = !copying.active()};
  EXPECT_EQ(parameter_type(convert(attention_layer(), copy).model, "cache_k_l0"),
            "f16[1,KV:position,2:head,8:head_size]");
  EXPECT_EQ(parameter_type(convert(live_attention_layer(), copy).model, "cache_k_l0"),
            "f16[1,1,KV:position,16:channel]");
}

// ---- K2 ----

TEST(K2_Form, ScatterUpdateThenSplitThenTranspose) {
  for (const auto& graph : {attention_layer(), live_attention_layer()}) {
    const ir::Model model = convert(graph).model;
    EXPECT_EQ(model.count("ScatterUpdate"), 2);
    EXPECT_EQ(model.count("VariadicSplit"), 2);
    EXPECT_EQ(model.count("SetRows"), 0);
    const ir::Node* const size = model.find_parameter("attention_size");
    ASSERT_NE(size, nullptr);
    EXPECT_EQ(size->port_type(0).to_string(), "i64[1]");
    EXPECT_EQ(size->attributes_as<ir::ParameterAttributes>().role, ir::ParameterRole::kAttentionSize);
    EXPECT_EQ(size->attributes_as<ir::ParameterAttributes>().value_symbol, "KV");
    EXPECT_EQ(parameter_type(model, "self_kq_mask"), "f32[1,1,T:token,KV:position]");

    for (const char* const cache : {"cache_k_l0", "cache_v_l0"}) {
      ir::Node& write = model.find_result(cache)->input(0).node();
      ASSERT_TRUE(write.is("ScatterUpdate"));
      EXPECT_EQ(write.attributes_as<op::ScatterUpdateAttributes>().axis, 1);
      EXPECT_EQ(write.input(0), model.find_parameter(cache)->output(0));
      EXPECT_EQ(write.input(1), model.find_parameter("inp_kv_idx")->output(0));
      EXPECT_EQ(write.input(0).uses().size(), 1u);
      ASSERT_EQ(write.port_uses(0).size(), 2u);
      ir::Node* split = nullptr;
      for (const ir::Use& use : write.port_uses(0)) {
        if (!use.user->is("Result")) split = use.user;
      }
      ASSERT_TRUE(split && split->is("VariadicSplit"));
      EXPECT_EQ(split->attributes_as<op::VariadicSplitAttributes>().axis, 1);
      EXPECT_EQ(ir::value_as_dims(split->input(1)), (std::vector<Dim>{Dim::symbol("KV"), -1}));
      ASSERT_EQ(split->port_uses(0).size(), 1u);
      EXPECT_TRUE(split->port_uses(1).empty());
      const ir::Node& swap = *split->port_uses(0)[0].user;
      ASSERT_TRUE(swap.is("Transpose"));
      EXPECT_EQ(ir::value_as_dims(swap.input(1)), (std::vector<Dim>{0, 2, 1, 3}));
      EXPECT_EQ(swap.port_type(0).to_string(), "f16[1,2:head,KV:position,8:head_size]");
    }
  }
}

HostTensor numbers(ElementType element, std::vector<int64_t> extents, double first) {
  HostTensor out = HostTensor::make(element, extents);
  std::vector<double> values;
  for (int64_t i = 0; i < out.element_count(); ++i)
    values.push_back(std::sin(first + 0.7 * static_cast<double>(i)));
  return HostTensor::of(element, extents, values);
}

op::HostTensors step_inputs(int64_t past, int64_t tokens) {
  std::vector<double> places;
  for (int64_t t = 0; t < tokens; ++t) places.push_back(static_cast<double>(past + t));
  op::HostTensors out;
  out["q"] = numbers(ElementType::kF32, {1, tokens, 4, 8}, 1);
  out["k"] = numbers(ElementType::kF32, {1, tokens, 2, 8}, 2);
  out["v"] = numbers(ElementType::kF32, {1, tokens, 2, 8}, 3);
  out["inp_kv_idx"] = HostTensor::of(ElementType::kI64, {1, 1, 1, tokens}, places);
  out["inp_pos"] = HostTensor::of(ElementType::kI32, {1, 1, 1, tokens}, places);
  out["self_kq_mask"] = HostTensor::make(ElementType::kF32, {1, 1, tokens, past + tokens});
  return out;
}

// The first rows of a cache are those of the copying layout; the whole buffer has more, which no one may
// read.
HostTensor with_rows(const HostTensor& whole, std::vector<int64_t> extents) {
  HostTensor out = HostTensor::make(whole.element, std::move(extents));
  std::copy_n(whole.bytes.begin(), out.bytes.size(), out.bytes.begin());
  return out;
}

TEST(K2_Form, ReadsSeeThisStepsRowsAndNothingBehindThem) {
  constexpr int64_t kPast = 5, kTokens = 2, kCached = kPast + kTokens;
  for (const bool live : {false, true}) {
    const auto graph = live ? live_attention_layer() : attention_layer();
    op::HostTensors in_place = step_inputs(kPast, kTokens);
    op::HostTensors copied = in_place;
    for (const char* const cache : {"cache_k_l0", "cache_v_l0"}) {
      in_place[cache] = numbers(ElementType::kF16, {1, kContext, 2, 8}, 4);
      copied[cache] = with_rows(in_place[cache], live ? std::vector<int64_t>{1, 1, kCached, 16}
                                                      : std::vector<int64_t>{1, kCached, 2, 8});
    }
    in_place["attention_size"] = HostTensor::of(ElementType::kI64, {1}, {static_cast<double>(kCached)});
    const auto found = op::evaluate(convert(graph).model, in_place);
    ASSERT_TRUE(found.ok()) << found.error().message();
    const auto wanted = op::evaluate(pass::convert(graph).value(), copied).value();
    EXPECT_EQ(found->at("attention").bytes, wanted.at("attention").bytes);
    for (const char* const cache : {"cache_k_l0", "cache_v_l0"}) {
      const std::vector<double> rows = found->at(cache).values(), expected = wanted.at(cache).values();
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), rows.begin())) << cache;
      const std::vector<double> before = in_place[cache].values();
      EXPECT_TRUE(std::equal(before.begin() + kCached * 16, before.end(), rows.begin() + kCached * 16))
          << cache;
    }
  }
}

// ---- K4 ----

// Converts with the obstacle in the way of the V cache: K is written in place, V as before, for the reason
// given.
void expect_v_refused(Obstacle obstacle, std::string_view reason) {
  const Converted out = convert(attention_layer(no_obstacle.active() ? Obstacle::kNone : obstacle));
  EXPECT_EQ(out.model.count("VariadicSplit"), 1) << out.reasons();
  EXPECT_EQ(parameter_type(out.model, "cache_k_l0"), "f16[1,12:position,2:head,8:head_size]");
  EXPECT_NE(parameter_type(out.model, "cache_v_l0").find("KV:position"), std::string::npos);
  EXPECT_NE(out.reasons().find("cache_v_l0: " + std::string(reason)), std::string::npos) << out.reasons();
}

TEST(K4_Refusals, SplitGraph) { expect_v_refused(Obstacle::kNotRead, "split graph"); }
TEST(K4_Refusals, NotReturned) { expect_v_refused(Obstacle::kNotReturned, "the cache is not returned"); }
TEST(K4_Refusals, SeveralStreams) { expect_v_refused(Obstacle::kStreams, "several streams"); }
TEST(K4_Refusals, TransposedV) { expect_v_refused(Obstacle::kTransposed, "transposed cache"); }
TEST(K4_Refusals, AnotherWrite) { expect_v_refused(Obstacle::kAnotherWrite, "another write"); }
TEST(K4_Refusals, AnotherReadBeforeTheWrite) { expect_v_refused(Obstacle::kReadBefore, "another read"); }
TEST(K4_Refusals, AnotherRead) { expect_v_refused(Obstacle::kReadByAnother, "another read"); }
TEST(K4_Refusals, Window) {
  expect_v_refused(Obstacle::kWindow, "the cache does not append: its kind is window");
}
TEST(K4_Refusals, Overwrite) {
  expect_v_refused(Obstacle::kOverwrite, "the cache does not append: its kind is overwrite");
}

void expect_nothing_converted(const Converted& out, std::string_view reason) {
  EXPECT_EQ(out.model.count("VariadicSplit"), 0);
  EXPECT_EQ(out.model.find_parameter("attention_size"), nullptr);
  EXPECT_EQ(parameter_type(out.model, "cache_k_l0"), "f16[1,KV:position,2:head,8:head_size]");
  for (const char* const cache : {"cache_k_l0", "cache_v_l0"}) {
    EXPECT_NE(out.reasons().find(cache + (": " + std::string(reason))), std::string::npos) << out.reasons();
  }
}

TEST(K4_Refusals, IncapableTarget) {
  expect_nothing_converted(
      convert(attention_layer(), {.stateless_kv = no_obstacle.active(), .context = kContext}),
      "the target cannot write a cache in place");
}

TEST(K4_Refusals, StaticTokens) {
  expect_nothing_converted(
      convert(attention_layer(no_obstacle.active() ? Obstacle::kNone : Obstacle::kStaticTokens)),
      "static token dimension");
}

// What an earlier pass took (the stateless lowering here, make_stateful likewise) is no SetRows any more.
TEST(K4_Refusals, StatefulMode) {
  pass::ConvertOptions options;
  if (!no_obstacle.active()) options.extensions.push_back(pass::make_stateful());
  options.extensions.push_back(pass::inplace_kv({.stateless_kv = true, .context = kContext}));
  std::vector<ir::PassReport> reports;
  const ir::Model model = pass::convert(attention_layer(), options, &reports).value();
  EXPECT_EQ(model.count("VariadicSplit"), 0);
  EXPECT_EQ(model.count("ReadValue"), 2);
  const auto& reasons = reports.at(no_obstacle.active() ? 0 : 1).reasons;
  ASSERT_EQ(reasons.size(), 2u);
  for (const ir::Reason& reason : reasons) EXPECT_EQ(reason.text.find("stateful mode"), 0u) << reason.text;
}
TEST(K4_Refusals, WritesThatAnEarlierPassTook) {
  pass::ConvertOptions options;
  if (!no_obstacle.active()) options.extensions.push_back(pass::lower_set_rows());
  options.extensions.push_back(pass::inplace_kv({.stateless_kv = true, .context = kContext}));
  std::vector<ir::PassReport> reports;
  const ir::Model model = pass::convert(attention_layer(), options, &reports).value();
  EXPECT_EQ(model.count("VariadicSplit"), 0);
  const auto& reasons = reports.at(no_obstacle.active() ? 0 : 1).reasons;
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].text.find("another write"), 0u) << reasons[0].text;
}

// ---- K5 ----

class WithVariable {
 public:
  explicit WithVariable(const char* value) { setenv("TENON_DISABLE_KV_4D", value, 1); }
  ~WithVariable() { unsetenv("TENON_DISABLE_KV_4D"); }
};

TEST(K5_Switch, RestoresTheCopyingLayoutAndSaysSo) {
  for (const auto& graph : {attention_layer(), live_attention_layer()}) {
    const std::string copied = ir::print(pass::convert(graph).value());
    const Converted by_option =
        convert(graph, {.stateless_kv = true, .context = kContext, .disabled = !switched_on.active()});
    EXPECT_EQ(ir::print(by_option.model), copied);
    EXPECT_NE(by_option.reasons().find("switched off"), std::string::npos) << by_option.reasons();

    const WithVariable variable(switched_on.active() ? "0" : "1");
    const Converted by_variable = convert(graph);
    EXPECT_EQ(ir::print(by_variable.model), copied);
    EXPECT_NE(by_variable.reasons().find("TENON_DISABLE_KV_4D=1"), std::string::npos)
        << by_variable.reasons();
  }
}

}  // namespace
}  // namespace tenon::contracts
