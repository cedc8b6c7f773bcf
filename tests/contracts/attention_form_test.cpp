// L4: grouped heads in both layouts.
#include <gtest/gtest.h>

#include "tenon/op/broadcast.h"
#include "tenon/op/build.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/translate/convert.h"
#include "tests/conform/runtimes.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"
#include "tests/support/op_capture.h"

namespace tenon::contracts {
namespace {

using decoder::AttentionLayout;
using op::HostTensor;

const test::Breaker repeats_first("L4_repeats_before_heads", "the axis of the repeats is before the heads'");
const test::Breaker pinned("L4_leading_1", "the tiled heads are reshaped to a literal batch of 1");
const test::Breaker multiple("L4_heads_fit", "the heads of the fixture fit after all");
const test::Breaker known_layout("L4_layout_known", "the fixture's layout is known after all");
const test::Breaker undeclared("L4_heads_declared", "the decoder declares the heads after all");

// Types of Q, K and V in a layout, whose batch and lengths are symbols or numbers.
struct Shape {
  AttentionLayout layout = AttentionLayout::kHeadAxis2;
  std::string batch = "B", tokens = "T", keys = "KV";
  int64_t heads = 8;
  int64_t groups = 2;

  std::string type(const std::string& length, int64_t count) const {
    const std::string head = std::to_string(count) + ":head";
    return "f32[" + batch + ":batch," +
           (layout == AttentionLayout::kHeadAxis1 ? head + "," + length : length + "," + head) +
           ",16:head_size]";
  }
};

test::HandDecoder attention(const Shape& shape, double scale = 0.25) {
  test::HandDecoder graph;
  const auto q = graph.input("q", shape.type(shape.tokens + ":token", shape.heads));
  const auto k = graph.input("k", shape.type(shape.keys + ":position", shape.groups));
  const auto v = graph.input("v", shape.type(shape.keys + ":position", shape.groups));
  const auto mask = graph.mask("mask", "f16[1,1," + shape.tokens + ":token," + shape.keys + ":position]");
  graph.output("out", graph.node("FLASH_ATTN_EXT", {q, k, v, mask},
                                 "f32[" + shape.batch + ":batch," + shape.tokens + ":token," +
                                     std::to_string(shape.heads) + ":head,16:head_size]",
                                 decoder::AttentionAttributes{shape.layout, scale, 0, 0}));
  return graph;
}

void move_repeats(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Unsqueeze")) continue;
    auto attributes =
        std::make_unique<op::UnsqueezeAttributes>(node->attributes_as<op::UnsqueezeAttributes>());
    const auto axis = static_cast<size_t>(attributes->axes[0]);
    --attributes->axes[0];
    ir::Node& repeat = *node->port_uses(0)[0].user;
    auto target = std::make_unique<op::BroadcastAttributes>(repeat.attributes_as<op::BroadcastAttributes>());
    std::swap(target->target[axis], target->target[axis - 1]);
    // Only both together have a shape that fits, so the Broadcast is taken away in between.
    const ir::Value out = repeat.output(0);
    op::Builder build(model, node->name());
    const ir::Value moved = build.add(op::unsqueeze_op(), {node->input(0)}, *attributes).value();
    const ir::Value wide = build.add(op::broadcast_op(), {moved}, *target).value();
    if (!model.replace_uses(out, wide).ok()) throw std::runtime_error("the fault itself");
  }
  model.erase_unreachable();
}

void pin_batch(ir::Model& model) {
  for (ir::Node* const node : model.topological_order()) {
    if (!node->is("Reshape") || !node->input(0).node().is("Broadcast")) continue;
    auto attributes = std::make_unique<op::ReshapeAttributes>(node->attributes_as<op::ReshapeAttributes>());
    attributes->target[0] = 1;
    for (Dim& extent : attributes->target) {
      if (extent == Dim(0)) extent = -1;
    }
    with_attributes(model, *node, std::move(attributes));
  }
}

ir::Model opset_form(const decoder::Decoder& graph) {
  ir::Model model = converted(graph);
  const Status done = decompose(model, "Attention");
  if (!done.ok()) throw std::runtime_error(done.error().message());
  if (repeats_first.active()) move_repeats(model);
  if (pinned.active()) pin_batch(model);
  return model;
}

// What Attention's matrix products read as keys (0) and values (1).
ir::Value product_operand(const ir::Model& model, int which) {
  int seen = 0;
  for (ir::Node* const node : model.topological_order()) {
    if (node->is("MatMul") && seen++ == which) return node->input(1);
  }
  return {};
}

TEST(L4_Attention, HeadAxis2IsTiledRightAfterTheHeadsAndThenSwapped) {
  const ir::Model model = opset_form(attention({}));
  EXPECT_EQ(model.count("Transpose"), 4);  // Q, K, V and the result
  for (const int which : {0, 1}) {
    const ir::Value operand = product_operand(model, which);
    EXPECT_EQ(operand.type().to_string(), "f32[B:batch,8:head,KV:position,16:head_size]");
    ASSERT_TRUE(operand.node().is("Transpose"));
    EXPECT_EQ(operand.node().input(1).uses().size(), 1u);
    const ir::Node& merge = operand.node().input(0).node();
    ASSERT_TRUE(merge.is("Reshape"));
    EXPECT_EQ(merge.attributes_as<op::ReshapeAttributes>().target, (std::vector<Dim>{0, 0, 8, 16}));
    const ir::Node& repeat = merge.input(0).node();
    ASSERT_TRUE(repeat.is("Broadcast"));
    EXPECT_EQ(repeat.attributes_as<op::BroadcastAttributes>().target, (std::vector<Dim>{1, 1, 1, 4, 1}));
    const ir::Node& axis = repeat.input(0).node();
    ASSERT_TRUE(axis.is("Unsqueeze"));
    EXPECT_EQ(axis.attributes_as<op::UnsqueezeAttributes>().axes, std::vector<int64_t>{3});
    EXPECT_EQ(axis.input(0), model.find_parameter(which == 0 ? "k" : "v")->output(0));
  }
}

TEST(L4_Attention, HeadAxis1IsTiledRightAfterTheHeads) {
  const ir::Model model = opset_form(attention({.layout = AttentionLayout::kHeadAxis1}));
  EXPECT_EQ(model.count("Transpose"), 1);  // the result
  for (const int which : {0, 1}) {
    const ir::Node& merge = product_operand(model, which).node();
    ASSERT_TRUE(merge.is("Reshape"));
    EXPECT_EQ(merge.attributes_as<op::ReshapeAttributes>().target, (std::vector<Dim>{0, 8, -1, 16}));
    const ir::Node& axis = merge.input(0).node().input(0).node();
    ASSERT_TRUE(axis.is("Unsqueeze"));
    EXPECT_EQ(axis.attributes_as<op::UnsqueezeAttributes>().axes, std::vector<int64_t>{2});
  }
}

// [1,H,L,D] -> [1,L,H,D]
HostTensor swapped(const HostTensor& x) {
  const auto heads = static_cast<size_t>(x.extents[1]), length = static_cast<size_t>(x.extents[2]),
             size = static_cast<size_t>(x.extents[3]);
  const std::vector<double> from = x.values();
  std::vector<double> to;
  for (size_t t = 0; t < length; ++t) {
    for (size_t h = 0; h < heads; ++h) {
      const auto row = from.begin() + static_cast<std::ptrdiff_t>((h * length + t) * size);
      to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(size));
    }
  }
  return HostTensor::of(x.element, {x.extents[0], x.extents[2], x.extents[1], x.extents[3]}, to);
}

double normalised_error(const std::vector<double>& found, const std::vector<double>& expected) {
  double error = 0, scale = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (found.at(i) - expected[i]) * (found.at(i) - expected[i]);
    scale += expected[i] * expected[i];
  }
  return error / scale;
}

// f32's rounding is 6e-8 of a value; a score's sum of 16 products adds a few of them.
constexpr double kLargestError = 1e-12;

TEST(L4_Attention, BothLayoutsGiveWhatGgmlGives) {
  for (const test::OpCapture& capture : test::op_captures("flash_attn_ext")) {
    if (capture.name() != "gqa_8x2_causal" && capture.name() != "mqa_8x1_causal") continue;
    HostTensor q = capture.tensor("input.0"), k = capture.tensor("input.1"), v = capture.tensor("input.2");
    const HostTensor mask = capture.tensor("input.3");
    const std::vector<double> expected = capture.tensor("output").values();
    for (const bool dynamic : {false, true}) {
      Shape shape;
      if (!dynamic) shape.batch = "1", shape.tokens = "5", shape.keys = "12";
      shape.groups = k.extents[1];
      std::map<std::string, std::vector<double>> by_layout[2];
      for (const auto layout : {AttentionLayout::kHeadAxis1, AttentionLayout::kHeadAxis2}) {
        shape.layout = layout;
        const ir::Model model = opset_form(attention(shape, capture.number("scale")));
        const bool swap = layout == AttentionLayout::kHeadAxis2;
        for (const std::string& runtime : conform::runtimes()) {
          SCOPED_TRACE(capture.name() + " on " + runtime + (swap ? ", head axis 2" : ", head axis 1"));
          const auto run = conform::run_on(runtime, model,
                                           {{"q", swap ? swapped(q) : q},
                                            {"k", swap ? swapped(k) : k},
                                            {"v", swap ? swapped(v) : v},
                                            {"mask", mask}},
                                           {});
          ASSERT_TRUE(run.ok()) << run.error().message();
          EXPECT_EQ(run->outputs.at("out").extents, (std::vector<int64_t>{1, 5, 8, 16}));
          const std::vector<double> found = run->outputs.at("out").values();
          EXPECT_LE(normalised_error(found, expected), kLargestError);
          by_layout[swap ? 1 : 0][runtime] = found;
        }
      }
      EXPECT_EQ(by_layout[0], by_layout[1]);
    }
  }
}

// Two sequences of different keys: each attends to its own.
TEST(L4_Attention, SequencesStayApart) {
  const test::OpCapture capture = test::op_captures("flash_attn_ext").front();
  const auto twice = [&](const std::string& name, double factor) {
    HostTensor x = swapped(capture.tensor(name));
    std::vector<double> values = x.values();
    const auto count = static_cast<std::ptrdiff_t>(values.size());
    values.insert(values.end(), values.begin(), values.begin() + count);
    for (auto value = values.begin() + count; value != values.end(); ++value) *value *= factor;
    x.extents[0] = 2;
    return HostTensor::of(x.element, x.extents, values);
  };
  const ir::Model model = opset_form(attention({}, capture.number("scale")));
  std::vector<double> expected = capture.tensor("output").values();
  const std::vector<double> first = expected;
  for (const double value : first) expected.push_back(-2 * value);
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    const auto run = conform::run_on(runtime, model,
                                     {{"q", twice("input.0", 1)},
                                      {"k", twice("input.1", 1)},
                                      {"v", twice("input.2", -2)},
                                      {"mask", capture.tensor("input.3")}},
                                     {});
    ASSERT_TRUE(run.ok()) << run.error().message();
    EXPECT_LE(normalised_error(run->outputs.at("out").values(), expected), kLargestError);
  }
}

std::string error_of(const decoder::Decoder& graph) {
  const auto model = translate::translate(graph);
  return model.ok() ? "no error" : model.error().message();
}

TEST(L4_Attention, HeadsThatAreNoMultipleAreAnError) {
  Shape shape;
  shape.heads = multiple.active() ? 6 : 8;
  shape.groups = 3;
  EXPECT_EQ(
      error_of(attention(shape)),
      "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.4': wanted query heads that are a multiple of the key and value "
      "heads, found 8, 3 and 3 heads");
}

TEST(L4_Attention, AnUnknownLayoutIsAnError) {
  Shape shape;
  shape.layout = known_layout.active() ? AttentionLayout::kHeadAxis1 : static_cast<AttentionLayout>(3);
  EXPECT_EQ(error_of(attention(shape)),
            "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.4': wanted a known case of the op, found case 3");
}

// The live value of K has two heads; what counts is what the decoder says of it.
TEST(L4_Attention, HeadsAreWhatTheDecoderDeclares) {
  test::HandDecoder graph;
  const auto q = graph.input("q", "f32[1,T:token,8,16]");
  const auto flat = graph.input("k", "f32[1,1,KV:position,32]");
  const auto k = graph.node("RESHAPE", {flat},
                            undeclared.active() ? "f32[1,KV:position,2,16]" : "f32[1,KV:position,G,16]",
                            decoder::ReshapeAttributes{decoder::ReshapeCase::kSplitHeads, 2, 16});
  graph.output(
      "out", graph.node("FLASH_ATTN_EXT", {q, k, k}, "f32[1,T:token,8,16]", decoder::AttentionAttributes{}));
  EXPECT_EQ(error_of(graph),
            "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.3': wanted a constant head count at axis 2 and a constant "
            "head size "
            "at axis 3 of input 1, found f32[1,KV:position,G,16]");
}

}  // namespace
}  // namespace tenon::contracts
