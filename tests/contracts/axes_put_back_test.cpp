// L12: the faults that move a token axis, put back one by one into the paged form of a graph.
#include <gtest/gtest.h>

#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/genai.h"
#include "tenon/pass/state/paged.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using decoder::Edge;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;

const test::Breaker not_put_back("L12_nothing_put_back", "the fixture is left as the passes made it");

// Two tables that are summed ("embedding"); heads that are turned by the tokens' positions ("turned") and
// merged again beside a residual ("merged"); and a cache, so that the model can have an owner.
test::HandDecoder graph_of_tokens() {
  test::HandDecoder graph;
  const Edge tokens = graph.input("inp_tokens", "i32[1,1,1,T:token]", decoder::InputRole::kTokens);
  const Edge positions = graph.input("inp_pos", "i32[1,1,1,T:token]", decoder::InputRole::kPositions);
  const Edge index = graph.input("inp_kv_idx", "i64[1,1,1,T:token]", decoder::InputRole::kCacheIndex);
  const char* const activation = "f32[1,1,T:token,8:channel]";
  const char* const heads = "f32[1,T:token,2:head,4:head_size]";
  const auto lookup = [&](const std::string& table) {
    decoder::NodeView node{"GET_ROWS",
                           table + "_rows",
                           {},
                           {graph.weight(table, "f32[3,8]", std::vector<float>(24, 1)), tokens},
                           {TensorType::parse(activation).value()},
                           {}};
    return graph.node(std::move(node));
  };
  graph.output("embedding", graph.node("ADD", {lookup("main"), lookup("second")}, activation));

  const Edge x = lookup("third");
  const Edge split = graph.node("RESHAPE", {x}, heads, ReshapeAttributes{ReshapeCase::kSplitHeads, 2, 4});
  decoder::RopeAttributes rope;
  rope.n_rot = 4;
  graph.output("turned", graph.node("ROPE", {split, positions}, heads, rope));
  decoder::NodeView merge{"RESHAPE",
                          "merge",
                          ReshapeAttributes{ReshapeCase::kMergeHeads, 2, 4},
                          {split},
                          {TensorType::parse(activation).value()},
                          {}};
  graph.output("merged", graph.node("ADD", {graph.node(std::move(merge)), x}, activation));
  const char* const cache = "f32[1,KV:position,2:head,4:head_size]";
  graph.output("cache", graph.node("SET_ROWS", {split, index, graph.cache("cache", cache)}, cache));
  return graph;
}

void unsqueeze_at(ir::Model& model, const std::string& name, std::vector<int64_t> axes) {
  auto attributes = std::make_unique<op::UnsqueezeAttributes>();
  attributes->axes = std::move(axes);
  with_attributes(model, *model.find(name), std::move(attributes));
}

// What the conversion to the paged form says when `fault` is put in.
std::string message(const std::function<void(ir::Model&)>& fault) {
  const auto opset_form = [](ir::Model& model, ir::PassContext&) -> Result<bool> {
    TENON_RETURN_IF_ERROR(decompose(model, "Rope"));
    return true;
  };
  pass::ConvertOptions options;
  options.extensions = {
      pass::make_stateful(), pass::adapt_to_genai(), pass::sdpa_to_paged(), {"opset_form", opset_form}};
  if (!not_put_back.active()) options.extensions.push_back(fault_pass(fault));
  const Result<ir::Model> model = pass::convert(graph_of_tokens(), options);
  return model.ok() ? "no error" : model.error().message();
}

void expect_caught(const std::string& found, const std::string& op, const std::string& a,
                   const std::string& b) {
  for (const std::string& part : {op, std::string("token x token"), a, b})
    EXPECT_NE(found.find(part), std::string::npos) << part << " in " << found;
}

TEST(L12_PutBack, UnsqueezeOfTheMainTable) {
  expect_caught(message([](ir::Model& model) { unsqueeze_at(model, "main_rows/Unsqueeze", {0}); }), "Add",
                "%main_rows/Unsqueeze:0 f32[1,T:token,1,8:channel]",
                "%second_rows/Unsqueeze:0 f32[T:token,1,1,8:channel]");
}

TEST(L12_PutBack, UnsqueezeOfTheSecondTable) {
  expect_caught(message([](ir::Model& model) { unsqueeze_at(model, "second_rows/Unsqueeze", {0}); }), "Add",
                "%main_rows/Unsqueeze:0 f32[T:token,1,1,8:channel]",
                "%second_rows/Unsqueeze:0 f32[1,T:token,1,8:channel]");
}

TEST(L12_PutBack, AMergeOfRank3) {
  expect_caught(message([](ir::Model& model) {
                  auto attributes = std::make_unique<op::ReshapeAttributes>();
                  attributes->target = {0, -1, 8};
                  attributes->special_zero = true;
                  with_attributes(model, *model.find("merge/Reshape"), std::move(attributes));
                }),
                "Add", "%merge/Reshape:0 f32[T:token,1,8:channel]",
                "%third_rows/Unsqueeze:0 f32[T:token,1,1,8:channel]");
}

TEST(L12_PutBack, PositionsOnTheWrongAxis) {
  const std::string found = message([](ir::Model& model) {
    unsqueeze_at(model, "inp_pos.lifted/Unsqueeze", {0, 1});
  });
  expect_caught(found, "Multiply", "f32[T:token,1,2:head,2", ":0 f32[1,T:token,1,2");
}

}  // namespace
}  // namespace tenon::contracts
