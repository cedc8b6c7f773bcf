// L11: RoPE's angles stand where the tokens do.
#include <gtest/gtest.h>

#include "tenon/op/evaluate.h"
#include "tenon/op/reshape.h"
#include "tests/conform/runtimes.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using op::HostTensor;

const test::Breaker pinned("L11_leading_1", "positions are written as [1,T,1,1]");
const test::Breaker next_position("L11_positions_plus_1", "the flat form's positions count from 1");

constexpr int64_t kTokens = 5;

// RoPE of x [1,T,3,8] in its opset form, the first six elements of each head rotated.
ir::Model rotation(decoder::RopeMode mode) {
  test::HandDecoder graph;
  const auto x = graph.input("x", "f32[1,T:token,3:head,8:head_size]");
  const auto positions = graph.input("inp_pos", "i32[1,1,1,T:token]", decoder::InputRole::kPositions);
  decoder::RopeAttributes attributes;
  attributes.mode = mode;
  attributes.n_rot = 6;
  attributes.freq_base = 100;
  graph.output("out", graph.node("ROPE", {x, positions}, "f32[1,T:token,3:head,8:head_size]", attributes));
  ir::Model model = converted(graph);
  const Status done = decompose(model, "Rope");
  EXPECT_TRUE(done.ok());
  if (pinned.active()) {
    for (ir::Node* const node : model.topological_order()) {
      if (!node->is("Reshape") || node->port_type(0).to_string() != "f32[1,T:token,1,1]") continue;
      auto attributes_of_column = std::make_unique<op::ReshapeAttributes>();
      attributes_of_column->target = {1, -1, 1, 1};
      with_attributes(model, *node, std::move(attributes_of_column));
    }
  }
  return model;
}

Status flatten_tokens(ir::Model& model) {
  return retype(model, {{"x", "f32[T:token,1,3:head,8:head_size]"}, {"inp_pos", "i32[T:token,1,1,1]"}});
}

TEST(L11_Rope, CosineAndSineStandWhereTheTokensDo) {
  for (const auto mode : {decoder::RopeMode::kNormal, decoder::RopeMode::kNeox}) {
    ir::Model model = rotation(mode);
    for (const char* const op : {"Cos", "Sin"})
      EXPECT_EQ(find_op(model, op)->port_type(0).to_string(), "f32[1,T:token,1,3]");
    const Status flattened = flatten_tokens(model);
    ASSERT_TRUE(flattened.ok()) << flattened.error().message();
    for (const char* const op : {"Cos", "Sin"})
      EXPECT_EQ(find_op(model, op)->port_type(0).to_string(), "f32[T:token,1,1,3]");
    EXPECT_EQ(model.find_result("out")->input(0).type().to_string(), "f32[T:token,1,3:head,8:head_size]");
  }
}

std::vector<double> run(const std::string& runtime, const ir::Model& model, std::vector<int64_t> x,
                        std::vector<int64_t> positions, double first) {
  const std::vector<double> at = {9 + first, 3 + first, 4 + first, 0 + first, 70 + first};
  const auto done = conform::run_on(runtime, model,
                                    {{"x", HostTensor::of(ElementType::kF32, x, numbers(kTokens * 24, -60))},
                                     {"inp_pos", HostTensor::of(ElementType::kI32, positions, at)}},
                                    {});
  if (!done.ok()) throw std::runtime_error(done.error().message());
  EXPECT_EQ(done->outputs.at("out").extents, x);
  return done->outputs.at("out").values();
}

TEST(L11_Rope, BothFormsRotateTheSame) {
  for (const auto mode : {decoder::RopeMode::kNormal, decoder::RopeMode::kNeox}) {
    const ir::Model raw = rotation(mode);
    ir::Model flat = rotation(mode);
    ASSERT_TRUE(flatten_tokens(flat).ok());
    for (const std::string& runtime : conform::runtimes()) {
      SCOPED_TRACE(runtime);
      const std::vector<double> values = run(runtime, raw, {1, kTokens, 3, 8}, {1, 1, 1, kTokens}, 0);
      EXPECT_EQ(run(runtime, flat, {kTokens, 1, 3, 8}, {kTokens, 1, 1, 1}, next_position.active() ? 1 : 0),
                values);
      // The fourth token's position is 0, which turns nothing; of the others the last two elements stay.
      EXPECT_EQ(std::vector<double>(values.begin() + 72, values.begin() + 96), numbers(24, 12));
      EXPECT_EQ((std::vector<double>{values[6], values[7]}), (std::vector<double>{-54, -53}));
      EXPECT_NE(values[0], -60);
    }
  }
}

}  // namespace
}  // namespace tenon::contracts
