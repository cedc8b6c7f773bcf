#include "tenon/ir/model.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tenon::ir {
namespace {

int g_inferences = 0;  // of Sum

// Extents must be equal: a rule that refuses a mixture of old and new inputs.
Result<std::vector<TensorType>> infer_sum(const Inference& node) {
  ++g_inferences;
  if (node.type(0).dims() != node.type(1).dims()) {
    return node.error("equal extents", node.type(0).to_string() + " and " + node.type(1).to_string());
  }
  return std::vector<TensorType>{node.type(0)};
}

Result<std::vector<TensorType>> infer_halves(const Inference& node) {
  const std::optional<Dim> half = node.type(0).dim(0).divide(2);
  if (!half) return node.error("an even extent", node.type(0).to_string());
  return std::vector<TensorType>(2, TensorType{node.type(0).element, {*half}});
}

const OpSchema kSum{.name = "Sum",
                    .inputs = {{"a"}, {"b"}},
                    .make_attributes = make_attributes<NoAttributes>,
                    .infer = infer_sum};
const OpSchema kHalves{.name = "Halves",
                       .inputs = {{"x"}},
                       .make_attributes = make_attributes<NoAttributes>,
                       .infer = infer_halves};
const OpSchema kOptional{.name = "Optional",
                         .inputs = {{"x"}, {"y", InputKind::kAny, true}},
                         .make_attributes = make_attributes<NoAttributes>,
                         .infer = infer_halves};
const OpSchema kMany{.name = "Many",
                     .inputs = {{"x"}},
                     .variadic = true,
                     .make_attributes = make_attributes<NoAttributes>,
                     .infer = infer_halves};

Value parameter(Model& model, const std::string& name, Dim extent) {
  ParameterAttributes attributes;
  attributes.name = name;
  attributes.type = {ElementType::kF32, {std::move(extent)}};
  return model.add_parameter(std::move(attributes)).value();
}

Value sum(Model& model, Value a, Value b, const std::string& name = "") {
  return model.add(kSum, {a, b}, nullptr, name).value()->output(0);
}

std::vector<std::string> names(const std::vector<Node*>& nodes) {
  std::vector<std::string> out;
  for (const Node* node : nodes) out.push_back(node->name());
  return out;
}

TEST(Model, NamesAreMadeUnique) {
  Model model;
  const Value x = parameter(model, "x", 4);
  EXPECT_EQ(sum(model, x, x).node().name(), "Sum");
  EXPECT_EQ(sum(model, x, x).node().name(), "Sum_1");
  EXPECT_EQ(sum(model, x, x, "Sum_1").node().name(), "Sum_1_1");
  EXPECT_EQ(sum(model, x, x, "blk.0/attn out%").node().name(), "blk.0/attn_out_");
  EXPECT_EQ(model.find("Sum_1")->name(), "Sum_1");
  EXPECT_EQ(model.find("Sum_2"), nullptr);
}

TEST(Model, ArityIsRefusedWithTheCounts) {
  Model model;
  const Value x = parameter(model, "x", 4);
  const auto message = [&](const OpSchema& schema, std::vector<Value> inputs) {
    const Result<Node*> made = model.add(schema, std::move(inputs), nullptr, "n");
    return made.ok() ? "" : made.error().message();
  };
  EXPECT_EQ(message(kSum, {x}), "Sum 'n': wanted 2 inputs, found 1");
  EXPECT_EQ(message(kOptional, {x, x, x}), "Optional 'n': wanted 1 to 2 inputs, found 3");
  EXPECT_EQ(message(kMany, {}), "Many 'n': wanted 1 or more inputs, found 0");
  EXPECT_EQ(model.node_count(), 1u);
  EXPECT_THROW(static_cast<void>(model.add(kSum, {x, Value()}, nullptr)), std::logic_error);
}

TEST(Model, ARefusedNodeLeavesNoTrace) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", 5);
  const Result<Node*> made = model.add(kSum, {x, y}, nullptr, "n");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(), "Sum 'n': wanted equal extents, found f32[4] and f32[5]");
  EXPECT_TRUE(x.uses().empty());
  EXPECT_EQ(model.find("n"), nullptr);
}

TEST(Model, UsesNameUserAndInputOfEachPort) {
  Model model;
  Node& halves = *model.add(kHalves, {parameter(model, "x", 4)}, nullptr).value();
  const Value total = sum(model, halves.output(1), halves.output(1));
  EXPECT_TRUE(halves.port_uses(0).empty());
  ASSERT_EQ(halves.port_uses(1).size(), 2u);
  EXPECT_EQ(halves.port_uses(1)[0], (Use{&total.node(), 0}));
  EXPECT_EQ(halves.port_uses(1)[1], (Use{&total.node(), 1}));
  EXPECT_THROW(halves.output(2), std::out_of_range);
  EXPECT_EQ(halves.output(1).describe(), "Halves %Halves:1 f32[2]");
}

TEST(Model, ASecondInputOfOneNameIsRefused) {
  Model model;
  parameter(model, "x", 4);
  ParameterAttributes again;
  again.name = "x";
  EXPECT_FALSE(model.add_parameter(again).ok());
}

TEST(Model, ReplacedUsesAreInferredDownstream) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", Dim::symbol("T") * Dim(2));
  Node& halves = *model.add(kHalves, {x}, nullptr).value();
  const Value total = sum(model, halves.output(0), halves.output(1));
  model.add_result(total, "total");
  ASSERT_TRUE(model.replace_uses(x, y).ok());
  EXPECT_TRUE(x.uses().empty());
  EXPECT_EQ(total.type().to_string(), "f32[T]");
}

// Every block reads its input twice. A rule must see the block's two inputs changed or neither, and run once.
TEST(Model, ReplacingThroughResidualsRunsEachRuleOnce) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", 6);
  constexpr int kBlocks = 40;
  Value at = x;
  for (int i = 0; i < kBlocks; ++i) at = sum(model, sum(model, at, at), at);
  model.add_result(at, "out");
  g_inferences = 0;
  const Status replaced = model.replace_uses(x, y);
  ASSERT_TRUE(replaced.ok()) << replaced.error().message();
  EXPECT_EQ(at.type().to_string(), "f32[6]");
  EXPECT_LE(g_inferences, 2 * kBlocks + 3);
}

TEST(Model, AReplacementThatARuleRefusesNamesTheNode) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", 6);
  sum(model, x, y.node().is("Parameter") ? x : y, "first");
  const Value other = parameter(model, "other", 4);
  sum(model, x, other, "second");
  const Status replaced = model.replace_uses(x, y);
  ASSERT_FALSE(replaced.ok());
  EXPECT_EQ(replaced.error().message(), "Sum 'second': wanted equal extents, found f32[6] and f32[4]");
}

TEST(Model, SetInputMovesOneSlot) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", 4);
  const Value total = sum(model, x, x);
  ASSERT_TRUE(model.set_input(total.node(), 1, y).ok());
  EXPECT_EQ(total.node().input(0), x);
  EXPECT_EQ(total.node().input(1), y);
  ASSERT_EQ(x.uses().size(), 1u);
  EXPECT_EQ(x.uses()[0].input, 0);
}

TEST(Model, EraseTakesOnlyWhatNoOneReads) {
  Model model;
  const Value x = parameter(model, "x", 4);
  const Value inner = sum(model, x, x, "inner"), outer = sum(model, inner, x, "outer");
  EXPECT_THROW(model.erase(inner.node()), std::logic_error);
  model.erase(outer.node());
  model.erase(inner.node());
  EXPECT_TRUE(x.uses().empty());
  EXPECT_EQ(model.node_count(), 1u);
  EXPECT_EQ(model.find("inner"), nullptr);
}

TEST(Model, EraseUnreachableKeepsParametersAndWhatResultsNeed) {
  Model model;
  const Value x = parameter(model, "x", 4);
  parameter(model, "unused", 4);
  const Value kept = sum(model, x, x, "kept");
  const Value dead = sum(model, kept, x, "dead");
  sum(model, dead, dead, "deader");
  model.add_result(kept, "out");
  EXPECT_EQ(model.erase_unreachable(), 2);
  EXPECT_EQ(names(model.topological_order()),
            (std::vector<std::string>{"x", "unused", "kept", "out.result"}));
  EXPECT_EQ(kept.uses().size(), 1u);
  EXPECT_EQ(model.find("dead"), nullptr);
  EXPECT_EQ(model.erase_unreachable(), 0);
}

TEST(Model, OrderPutsProducersFirstWhateverTheOrderOfMaking) {
  Model model;
  const Value x = parameter(model, "x", 4);
  const Value early = sum(model, x, x, "early");
  const Value late = sum(model, x, x, "late");
  ASSERT_TRUE(model.set_input(early.node(), 0, late).ok());
  EXPECT_EQ(names(model.topological_order()), (std::vector<std::string>{"x", "late", "early"}));
}

TEST(Model, ACycleIsMisuse) {
  Model model;
  const Value x = parameter(model, "x", 4);
  const Value first = sum(model, x, x, "first"), second = sum(model, first, first, "second");
  ASSERT_TRUE(
      model.set_input(first.node(), 1, second).ok());  // no type changes, so that no order is asked for
  EXPECT_THROW(model.topological_order(), std::logic_error);
}

TEST(Model, AReplacedParameterKeepsNamesAndPlace) {
  Model model;
  const Value x = parameter(model, "x", 4), y = parameter(model, "y", 4);
  parameter(model, "x.old", 4);
  ParameterAttributes attributes;
  attributes.name = "x";
  attributes.type = {ElementType::kF32, {8}};
  const Value replaced = model.replace_parameter(x.node(), attributes).value();
  EXPECT_EQ(replaced.node().name(), "x");
  EXPECT_EQ(x.node().name(), "x.old_1");
  EXPECT_EQ(model.find("x.old_1"), &x.node());
  model.erase(x.node());
  EXPECT_EQ(names(model.parameters()), (std::vector<std::string>{"x", "y", "x.old"}));
  EXPECT_EQ(model.find_parameter("x"), &replaced.node());
  const Value total = sum(model, y, y);
  EXPECT_THROW(static_cast<void>(model.replace_parameter(total.node(), attributes)), std::logic_error);
}

TEST(Model, ResultsAreFoundByTheirOutputsName) {
  Model model;
  const Value x = parameter(model, "x", 4);
  Node& result = model.add_result(x, "logits");
  EXPECT_EQ(model.find_result("logits"), &result);
  EXPECT_EQ(model.find_result("logits.result"), nullptr);
  EXPECT_EQ(result.port_count(), 0);
  EXPECT_EQ(model.count("Result"), 1);
}

TEST(Model, AMovedModelKeepsItsNodes) {
  Model model("m");
  const Value x = parameter(model, "x", 4);
  sum(model, x, x, "total");
  Model moved = std::move(model);
  EXPECT_EQ(moved.find("total")->input(0), x);
  EXPECT_EQ(moved.name(), "m");
}

TEST(Value, AnEmptyOneHasNoProducer) {
  EXPECT_FALSE(Value());
  EXPECT_THROW(Value().node(), std::logic_error);
}

}  // namespace
}  // namespace tenon::ir
