// H1, L13: the stateless interface of a model file, the same from the native builder and from a live graph.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tenon/arch/architecture.h"
#include "tenon/op/build.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/live_llama.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/state_forms.h"
#include "tests/fixtures/catalogue.h"
#include "tests/support/breaker.h"
#include "tests/support/test_name.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;
using op::HostTensors;

std::shared_ptr<const gguf::File> file_of(const fixtures::ModelSpec& spec) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(fixtures::make_model(spec).to_bytes());
  return gguf::File::parse(*bytes, bytes).value();
}

// Element type and extents, without roles.
std::string plain(const TensorType& type) {
  std::string extents;
  for (const Dim& dim : type.dims()) extents += (extents.empty() ? "" : ",") + dim.to_string();
  return std::string(name(type.element)) + "[" + extents + "]";
}

const ir::ParameterAttributes& input_of(const ir::Node& node) {
  return node.attributes_as<ir::ParameterAttributes>();
}

// ---- H1 ----

const test::Breaker neox("H1_neox", "the live graph rotates the halves of its heads");
const test::Breaker renamed("H1_renamed_cache", "the live graph names its value caches otherwise");
const test::Breaker undeclared("H1_undeclared_input",
                               "a pass adds an input that the decoder does not declare");

const fixtures::ModelSpec& spec() { return fixtures::fixture("llama-gqa4x2").spec; }

ir::Model stateless(const decoder::Decoder& decoder) {
  return try_convert(decoder, {fault_pass([](ir::Model& model) {
                       if (!undeclared.active()) return;
                       ir::ParameterAttributes size;
                       size.name = "attention_size";
                       size.type = {ElementType::kI64, {1}};
                       EXPECT_TRUE(model.add_parameter(size).ok());
                     })})
      .value();
}

test::HandDecoder live(const gguf::File& file) {
  LiveLlamaOptions options;
  if (neox.active()) options.rope = decoder::RopeMode::kNeox;
  if (renamed.active()) options.value_cache = "cache_values_l";
  return live_llama(file, spec(), options);
}

// "name: element type, rank", sorted.
std::vector<std::string> inputs_of(const ir::Model& model) {
  std::vector<std::string> out;
  for (const ir::Node* node : model.parameters()) {
    out.push_back(input_of(*node).name + ": " + std::string(name(node->port_type(0).element)) + ", rank " +
                  std::to_string(node->port_type(0).rank()));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> outputs_of(const ir::Model& model) {
  std::vector<std::string> out;
  for (const ir::Node* node : model.results()) {
    const TensorType& type = node->input(0).type();
    out.push_back(node->attributes_as<ir::ResultAttributes>().name + ": " + std::string(name(type.element)) +
                  ", rank " + std::to_string(type.rank()));
  }
  return out;
}

std::vector<std::string> declared_by(const decoder::Decoder& decoder) {
  std::vector<std::string> out;
  for (size_t i = 0; i < decoder.node_count(); ++i) {
    const decoder::NodeView node = decoder.node(i);
    if (node.op == "NONE" && !std::holds_alternative<decoder::Weight>(node.leaf)) out.emplace_back(node.name);
  }
  return out;
}

TEST(H1_TwoDecoders, GiveTheSameInputsAndOutputs) {
  const auto file = file_of(spec());
  const auto native = arch::build_decoder(file, {.cache_element = ElementType::kF32}).value();
  const test::HandDecoder graph = live(*file);
  const ir::Model ours = stateless(*native), theirs = stateless(graph);
  EXPECT_EQ(inputs_of(theirs), inputs_of(ours));
  EXPECT_EQ(outputs_of(theirs), outputs_of(ours));
  EXPECT_EQ(input_names(ours), declared_by(*native));
  EXPECT_EQ(input_names(theirs), declared_by(graph));
}

TEST(H1_TwoDecoders, GiveTheSameLogits) {
  const auto file = file_of(spec());
  const auto native = arch::build_decoder(file, {.cache_element = ElementType::kF32}).value();
  const test::HandDecoder graph = live(*file);
  const auto logits = [&](const decoder::Decoder& decoder, const std::string& runtime) {
    const ir::Model model = try_convert(decoder, {}).value();
    HostTensors inputs = {{"inp_tokens", i32({1, 1, 1, 5}, {7, 2, 5, 0, 11})},
                          {"inp_pos", i32({1, 1, 1, 5}, {0, 1, 2, 3, 4})},
                          {"inp_out_ids", i32({1, 1, 1, 3}, {4, 0, 2})},
                          {"inp_kv_idx", i64({1, 1, 1, 5}, {0, 1, 2, 3, 4})},
                          {"token_len_per_seq", i64({1}, {5})},
                          {"self_kq_mask", HostTensor::make(ElementType::kF32, {1, 1, 5, 5})}};
    for (const ir::Node* node : model.parameters()) {
      if (input_of(*node).role != ir::ParameterRole::kCache) continue;
      std::vector<int64_t> extents;
      for (const Dim& dim : node->port_type(0).dims()) extents.push_back(dim.try_value().value_or(5));
      inputs[input_of(*node).name] = HostTensor::make(ElementType::kF32, extents);
    }
    return StepByStep(model, runtime).run(inputs)["logits"];
  };
  on_every_runtime([&](const std::string& runtime) {
    const HostTensor ours = logits(*native, runtime), theirs = logits(graph, runtime);
    ASSERT_EQ(theirs.extents, ours.extents);
    const std::vector<double> expected = ours.values(), found = theirs.values();
    double error = 0, scale = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      error += (found[i] - expected[i]) * (found[i] - expected[i]);
      scale += expected[i] * expected[i];
    }
    EXPECT_LE(error / scale, 1e-9);
  });
}

// ---- L13 ----

const test::Breaker index_type("L13_other_index_type", "the cache index is i32");
const test::Breaker length_lost("L13_length_of_rank_0", "token_len_per_seq is a scalar");
const test::Breaker pinned("L13_pinned_axis", "a reshape pins axis 0 by a literal 1");
const test::Breaker rank_3("L13_rank_3", "an activation loses its leading axis");

class L13_StatelessInterface : public testing::TestWithParam<fixtures::Fixture> {
 protected:
  // Every architecture's graph, with the faults.
  ir::Model model() const {
    const auto decoder = arch::build_decoder(file_of(GetParam().spec)).value();
    const test::EditedDecoder edited(*decoder, [](decoder::NodeView& node) {
      if (index_type.active() && node.name == "inp_kv_idx") node.outputs[0].element = ElementType::kI32;
      if (length_lost.active() && node.name == "token_len_per_seq") node.outputs[0].axes.clear();
    });
    return try_convert(edited, {fault_pass(put_in)}).value();
  }

 private:
  static void put_in(ir::Model& model) {
    ir::Node* const reshape = find_op(model, "Reshape");
    if (pinned.active() && reshape) {
      auto attributes = reshape->attributes_as<op::ReshapeAttributes>();
      attributes.target[0] = 1;
      with_attributes(model, *reshape, attributes.clone());
    }
    if (rank_3.active()) {
      const ir::Value logits = model.find_result("logits")->input(0);
      op::ReshapeAttributes flat;
      flat.target = {1, -1, logits.type().dim(-1)};
      const ir::Value reshaped = op::Builder(model, "fault").add(op::reshape_op(), {logits}, flat).value();
      EXPECT_TRUE(model.set_input(*model.find_result("logits"), 0, reshaped).ok());
    }
  }
};

TEST_P(L13_StatelessInterface, HasTheNamesTypesAndRanksOfOpenVinos) {
  const ir::Model graph = model();
  std::map<std::string, std::string> wanted = {
      {"inp_tokens", "i32[1,1,1,T]"}, {"inp_out_ids", "i32[1,1,1,R]"}, {"token_len_per_seq", "i64[1]"}};
  // Where there is attention; positions of several components lie one after the other.
  const std::map<std::string, std::set<std::string>> of_attention = {
      {"inp_pos", {"i32[1,1,1,T]", "i32[1,1,1,4*T]"}},
      {"inp_kv_idx", {"i64[1,1,1,T]"}},
      {"self_kq_mask", {"f32[1,1,T,KV]"}},
      {"self_kq_mask_swa", {"f32[1,1,T,KV]"}}};
  std::set<std::string> states = {"logits"};
  for (const ir::Node* node : graph.parameters()) {
    const ir::ParameterAttributes& input = input_of(*node);
    SCOPED_TRACE(input.name);
    const std::string type = plain(input.type), layer = std::to_string(input.layer);
    if (input.role == ir::ParameterRole::kCache) {
      EXPECT_TRUE(input.name == "cache_k_l" + layer || input.name == "cache_v_l" + layer);
      EXPECT_TRUE(type.starts_with("f16[1,KV,") && input.type.rank() == 4) << type;
      states.insert(input.name);
    } else if (input.role == ir::ParameterRole::kRecurrentState) {
      EXPECT_TRUE(input.name == "cache_r_l" + layer || input.name == "cache_s_l" + layer);
      EXPECT_TRUE(input.type.element_count().is_constant()) << type;
      states.insert(input.name);
    } else if (const auto found = of_attention.find(input.name); found != of_attention.end()) {
      EXPECT_TRUE(found->second.contains(type)) << type;
    } else {
      ASSERT_EQ(wanted.count(input.name), 1u);
      EXPECT_EQ(type, wanted.at(input.name));
      wanted.erase(input.name);
    }
  }
  EXPECT_TRUE(wanted.empty()) << wanted.begin()->first;
  const bool attends = graph.count("Attention") > 0;
  for (const char* const name : {"inp_pos", "inp_kv_idx", "self_kq_mask"})
    EXPECT_EQ(graph.find_parameter(name) != nullptr, attends) << name;
  EXPECT_TRUE(graph.find_parameter("token_len_per_seq")->port_uses(0).empty());

  std::set<std::string> outputs;
  for (const ir::Node* result : graph.results())
    outputs.insert(result->attributes_as<ir::ResultAttributes>().name);
  EXPECT_EQ(outputs, states);  // every state comes back under its name
  EXPECT_EQ(graph.results()[0]->attributes_as<ir::ResultAttributes>().name, "logits");
  const TensorType& logits = graph.results()[0]->input(0).type();
  EXPECT_TRUE(plain(logits).starts_with("f32[1,1,R,")) << plain(logits);
}

// Whether a node is a part of GET_ROWS, which drops the leading axis and restores it.
bool inside_get_rows(const ir::Node& node) {
  return node.is("Squeeze") || node.is("Gather") || (node.is("Convert") && node.input(0).node().is("Gather"));
}

TEST_P(L13_StatelessInterface, ActivationsKeepRank4AndNothingPinsAxis0) {
  const ir::Model graph = model();
  for (const ir::Node* node : graph.topological_order()) {
    SCOPED_TRACE(node->name());
    if (node->is("Reshape")) {
      const Dim first = node->attributes_as<op::ReshapeAttributes>().target.at(0);
      EXPECT_TRUE(first == Dim(0) || first == Dim(-1)) << first.to_string();
    }
    if (node->is("Unsqueeze")) {
      const auto& axes = node->attributes_as<op::UnsqueezeAttributes>().axes;
      EXPECT_TRUE(std::count(axes.begin(), axes.end(), 0) == 0 || inside_get_rows(node->input(0).node()));
    }
    for (int port = 0; port < node->port_count(); ++port) {
      const TensorType& type = node->port_type(port);
      const bool activation = !is_integer(type.element) && type.axis_of(AxisRole::kToken).has_value();
      EXPECT_TRUE(!activation || inside_get_rows(*node) || type.rank() == 4) << type.to_string();
    }
  }
}

std::vector<fixtures::Fixture> all_fixtures() {
  const auto all = fixtures::catalogue();
  return {all.begin(), all.end()};
}

INSTANTIATE_TEST_SUITE_P(Files, L13_StatelessInterface, testing::ValuesIn(all_fixtures()),
                         [](const auto& value) { return test::test_name(value.param.name); });

}  // namespace
}  // namespace tenon::contracts
