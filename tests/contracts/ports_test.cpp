// T1, T2, T3, T7, T10: a tensor is a producer and a port.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tenon/ir/verify.h"
#include "tenon/op/build.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/gather.h"
#include "tenon/op/shape_of.h"
#include "tenon/op/topk.h"
#include "tenon/op/variadic_split.h"
#include "tenon/translate/convert.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;

// ---- T1 ----

const test::Breaker portless("T1_output_without_port", "a node type that turns into its first output");

template <class N, class V>
constexpr bool kTurnsIntoAValue = std::is_convertible_v<N&, V> || std::is_convertible_v<N*, V> ||
                                  std::is_constructible_v<V, N&> || std::is_constructible_v<V, N*>;
template <class N>
constexpr bool kHasOutputWithoutPort = requires(N& node) {
  node.output();
};
template <class N>
constexpr bool kHasTypeWithoutPort = requires(N& node) {
  node.type();
}
|| requires(N& node) { node.port_type(); };
template <class M, class N>
constexpr bool kTakesNodesForTensors = requires(M& model, N& node) {
  model.replace_uses(node, node);
}
|| requires(M& model, N& node) { model.set_input(node, 0, node); }
|| requires(M& model, N& node) { model.add_result(node, ""); };

struct FaultyNode;
struct FaultyValue {
  FaultyValue(FaultyNode&) {}  // NOLINT: implicit, the fault
};
struct FaultyNode {
  FaultyValue output() { return *this; }
  TensorType type() const { return {}; }
};
struct FaultyModel {
  void replace_uses(FaultyValue, FaultyValue) {}
};

TEST(T1_Ports, NoTensorWithoutAPort) {
  static_assert(!kTurnsIntoAValue<ir::Node, ir::Value> && !kHasOutputWithoutPort<ir::Node>);
  const bool fault = portless.active();
  EXPECT_FALSE(fault ? (kTurnsIntoAValue<FaultyNode, FaultyValue>) : (kTurnsIntoAValue<ir::Node, ir::Value>));
  EXPECT_FALSE(fault ? kHasOutputWithoutPort<FaultyNode> : kHasOutputWithoutPort<ir::Node>);
  EXPECT_FALSE(fault ? kHasTypeWithoutPort<FaultyNode> : kHasTypeWithoutPort<ir::Node>);
  EXPECT_FALSE(fault ? (kTakesNodesForTensors<FaultyModel, FaultyNode>)
                     : (kTakesNodesForTensors<ir::Model, ir::Node>));
}

// ---- T2, T7 ----

const test::Breaker values_port("T2_values_for_indices", "port 0 is taken for the indices");
const test::Breaker second_builder("T2_another_builder_of_topk", "another source file builds a TopK");
const test::Breaker always_i32("T7_always_i32", "the decoder's index type is overruled by i32");

ir::ParameterAttributes parameter(std::string name, std::string_view type, std::string value_symbol = "") {
  ir::ParameterAttributes out;
  out.name = std::move(name);
  out.type = TensorType::parse(type).value();
  out.value_symbol = std::move(value_symbol);
  return out;
}

ir::Value maybe_port_0(ir::Value value) { return values_port.active() ? ir::Value(value.node(), 0) : value; }

TEST(T2_TopkIndices, IsPort1OfTheAskedTypeWhateverKIs) {
  for (const ElementType type : {ElementType::kI32, ElementType::kI64}) {
    ir::Model model;
    const ir::Value x = model.add_parameter(parameter("x", "f32[2,N]")).value();
    const ir::Value constant = model.add_constant(ir::integer_constant(ElementType::kI64, {}, {3}), "k");
    const ir::Value given = model.add_parameter(parameter("given", "i64[]", "K")).value();
    const ir::Value measured = op::get_dimensions(model, x, {1}).value();
    const ir::Value scalar = model.add_constant(ir::integer_constant(ElementType::kI64, {}, {0}), "first");
    const ir::Value extent =
        op::Builder(model, "k").add(op::gather_op(), {measured, scalar}, op::GatherAttributes()).value();
    for (const ir::Value k : {constant, given, extent}) {
      const ir::Value ids =
          maybe_port_0(op::make_topk_indices(model, x, k, 1, op::TopKMode::kMax, type, false).value());
      EXPECT_EQ(ids.port(), 1);
      EXPECT_EQ(ids.type().element, type);
      EXPECT_TRUE(ids.node().is("TopK"));
      EXPECT_EQ(ids.node().input(1), k);
    }
  }
}

test::HandDecoder selection(std::string_view op, std::string_view type, decoder::NodeAttributes attributes) {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,1,4,N]");
  graph.output("ids", graph.node(op, {x}, type, std::move(attributes)));
  return graph;
}

TEST(T2_TopkIndices, ServesArgsortAndTopK) {
  for (const auto& graph : {selection("ARGSORT", "i32[1,1,4,N]", decoder::ArgsortAttributes{}),
                            selection("TOP_K", "i32[1,1,4,2]", decoder::TopKAttributes{2})}) {
    const ir::Model model = translate::translate(graph).value();
    EXPECT_EQ(model.count("TopK"), 1);
    const ir::Value ids = maybe_port_0(model.find_result("ids")->input(0));
    EXPECT_TRUE(ids.node().is("TopK"));
    EXPECT_EQ(ids.port(), 1);
  }
}

TEST(T2_TopkIndices, NothingElseBuildsATopK) {
  std::vector<std::string> builders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TENON_SOURCE_DIR "/tenon")) {
    const std::string path = entry.path().lexically_relative(TENON_SOURCE_DIR "/tenon").string();
    if (entry.path().extension() != ".cpp" || path.ends_with("_test.cpp")) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    if (second_builder.active() && path == "translate/top_k.cpp") text << "build.add(op::topk_op(), {x, k})";
    if (text.str().find("topk_op(") != std::string::npos) builders.push_back(path);
  }
  std::sort(builders.begin(), builders.end());
  EXPECT_EQ(builders, (std::vector<std::string>{"op/catalogue.cpp", "op/topk.cpp"}));
}

TEST(T7_IndexType, IsTheDecoders) {
  for (const ElementType type : {ElementType::kI32, ElementType::kI64}) {
    const std::string element(name(type));
    for (const auto& graph : {selection("ARGSORT", element + "[1,1,4,N]", decoder::ArgsortAttributes{}),
                              selection("TOP_K", element + "[1,1,4,2]", decoder::TopKAttributes{2})}) {
      const test::EditedDecoder edited(graph, [](decoder::NodeView& node) {
        if (always_i32.active() && node.op != "NONE") node.outputs[0].element = ElementType::kI32;
      });
      const ir::Model model = translate::translate(edited).value();
      EXPECT_EQ(model.find_result("ids")->input(0).type().element, type);
    }
  }
}

// ---- T3 ----

const test::Breaker first_port("T3_measures_port_0", "the shape is that of the producer's first port");

// The extents of port `port`, measured in the graph; the fault moves the measuring to port 0.
ir::Value measure(ir::Model& model, ir::Node& node, int port) {
  const ir::Value out = op::get_dimensions(model, node.output(port), {0, 1}).value();
  for (ir::Node* const measured : model.topological_order()) {
    if (first_port.active() && measured->is("ShapeOf")) {
      EXPECT_TRUE(model.set_input(*measured, 0, node.output(0)).ok());
    }
  }
  return out;
}

TEST(T3_GetDimensions, ReadsThePortEvenWhereShapesAreEqual) {
  ir::Model model;
  const ir::Value x = model.add_parameter(parameter("x", "f32[2,N]")).value();
  const ir::Value k = model.add_constant(ir::integer_constant(ElementType::kI64, {}, {2}), "k");
  const ir::Value ids =
      op::make_topk_indices(model, x, k, 1, op::TopKMode::kMax, ElementType::kI32, false).value();
  ASSERT_EQ(ids.node().port_type(0).dims(), ids.node().port_type(1).dims());
  model.add_result(measure(model, ids.node(), 1), "shape");
  for (const ir::Node* node : model.topological_order()) {
    if (node->is("ShapeOf")) {
      EXPECT_EQ(node->input(0), ids);
    }
  }
  EXPECT_EQ(model.count("ShapeOf"), 1);
}

TEST(T3_GetDimensions, GivesThatPortsNumbers) {
  ir::Model model;
  const ir::Value x = model.add_parameter(parameter("x", "f32[2,N]")).value();
  op::Builder build(model, "split");
  op::VariadicSplitAttributes axis;
  axis.axis = 1;
  ir::Node* const parts = build.add_node(op::variadic_split_op(), {x, build.integers({3, -1})}, axis).value();
  model.add_result(measure(model, *parts, 1), "shape");
  const auto outputs = op::evaluate(model, {{"x", HostTensor::make(ElementType::kF32, {2, 10})}}).value();
  EXPECT_EQ(outputs.at("shape").values(), (std::vector<double>{2, 7}));
}

// ---- T10 ----

const test::Breaker integer_ids("T10_integer_ids", "the fixture's ids are integers after all");

TEST(T10_IndexInputs, TheVerifierRefusesAFloatNamingItsPort) {
  ir::Model model;
  const ir::Value table = model.add_parameter(parameter("table", "f32[9,6]")).value();
  const ir::Value x = model.add_parameter(parameter("x", "f32[4,5]")).value();
  const ir::Value k = model.add_constant(ir::integer_constant(ElementType::kI64, {}, {2}), "k");
  const ir::Value ids =
      op::make_topk_indices(model, x, k, 1, op::TopKMode::kMax, ElementType::kI32, false, "top").value();
  const ir::Value read = integer_ids.active() ? ids : ir::Value(ids.node(), 0);
  model.add_result(
      op::Builder(model, "rows").add(op::gather_op(), {table, read}, op::GatherAttributes()).value(), "out");
  const Status status = ir::verify(model, ir::Stage::kTranslated);
  ASSERT_FALSE(status.ok());
  const std::string message = status.error().message();
  for (const char* const part : {"Gather", "rows/Gather", "indices", "%top:0", "f32"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
}

TEST(T10_IndexInputs, NoTranslatorConvertsAFloat) {
  test::HandDecoder graph;
  const auto table = graph.input("table", "f32[9,6]");
  const auto ids = graph.input("ids", integer_ids.active() ? "i32[1,1,1,T:token]" : "f32[1,1,1,T:token]");
  graph.output("rows", graph.node("GET_ROWS", {table, ids}, "f32[1,1,T:token,6]"));
  const Result<ir::Model> model = translate::translate(graph);
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(model->count("Convert"), 0);
  EXPECT_FALSE(ir::verify(*model, ir::Stage::kTranslated).ok());
}

}  // namespace
}  // namespace tenon::contracts
