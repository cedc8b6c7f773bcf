// L6: no Convert between a cache and attention.
#include <gtest/gtest.h>

#include "tenon/op/build.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/forms.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

const test::Breaker after_concat("L6_convert_after_concat", "the appended cache is converted, not its rows");
const test::Breaker keys_to_queries("L6_keys_to_queries", "keys and values take the queries' type");
const test::Breaker all_removed("L6_every_convert_removed", "the Convert elsewhere is taken out, too");

// Attention over two f16 caches in the variables' form. What is read from the key cache is cast to f16, which
// it is; the queries are cast to f16 for another output.
test::HandDecoder layer() {
  constexpr const char* kCache = "f16[1,KV:position,2:head,8:head_size]";
  test::HandDecoder graph;
  const auto q = graph.input("q", "f32[1,T:token,4:head,8:head_size]");
  const auto index = graph.input("inp_kv_idx", "i64[1,1,1,T:token]", decoder::InputRole::kCacheIndex);
  const auto positions = graph.input("inp_pos", "i32[1,1,1,T:token]", decoder::InputRole::kPositions);
  const auto mask = graph.mask("self_kq_mask", "f32[1,1,T:token,KV:position]",
                               {decoder::MaskStructure::kCausal, 0, positions});
  const auto write = [&](const std::string& rows, const std::string& cache) {
    const auto written = graph.node(
        "SET_ROWS",
        {graph.input(rows, "f32[1,T:token,2:head,8:head_size]"), index, graph.cache(cache, kCache)}, kCache);
    graph.output(cache, written);
    return written;
  };
  const auto keys = graph.node("CPY", {write("k", "cache_k_l0")}, kCache);
  const auto values = write("v", "cache_v_l0");
  graph.output("attention", graph.node("FLASH_ATTN_EXT", {q, keys, values, mask},
                                       "f32[1,T:token,4:head,8:head_size]", decoder::AttentionAttributes{}));
  graph.output("halves", graph.node("CPY", {q}, "f16[1,T:token,4:head,8:head_size]"));
  return graph;
}

void put_fault_in(ir::Model& model) {
  op::Builder build(model, "fault");
  ir::Node& attention = *find_op(model, "Attention");
  Status done;
  if (after_concat.active()) {
    const ir::Value swapped = attention.input(1);
    const ir::Value wide = build.convert(swapped, ElementType::kF32).value();
    done = model.set_input(attention, 1, build.convert(wide, ElementType::kF16).value());
  }
  if (keys_to_queries.active()) {
    done = model.set_input(attention, 0, attention.input(0).node().input(0));
    for (const int input : {1, 2}) {
      if (done.ok())
        done = model.set_input(attention, input,
                               build.convert(attention.input(input), ElementType::kF32).value());
    }
  }
  if (all_removed.active()) {
    ir::Node& halves = *model.find_result("halves");
    done = model.set_input(halves, 0, halves.input(0).node().input(0));
  }
  if (!done.ok()) throw std::runtime_error("the fault itself: " + done.error().message());
}

ir::Model stateful_layer() { return converted(layer(), {pass::make_stateful(), fault_pass(put_fault_in)}); }

TEST(L6_Casts, NoneStandsBetweenACacheAndAttention) {
  const ir::Model model = stateful_layer();
  const ir::Node& attention = *find_op(model, "Attention");
  for (const int input : {1, 2}) {
    const ir::Node& swap = attention.input(input).node();
    ASSERT_TRUE(swap.is("Transpose")) << input;
    const ir::Node& concat = swap.input(0).node();
    ASSERT_TRUE(concat.is("Concat")) << input;
    const ir::Node& cast = concat.input(1).node();
    ASSERT_TRUE(cast.is("Convert")) << input;
    EXPECT_EQ(cast.input(0), model.find_parameter(input == 1 ? "k" : "v")->output(0));
    EXPECT_EQ(cast.port_type(0).element, ElementType::kF16);
    EXPECT_EQ(attention.input(input).type().element, ElementType::kF16);
  }
}

TEST(L6_Casts, QueriesTakeTheKeysType) {
  const ir::Model model = stateful_layer();
  const ir::Node& cast = find_op(model, "Attention")->input(0).node();
  ASSERT_TRUE(cast.is("Convert"));
  EXPECT_EQ(cast.port_type(0).element, ElementType::kF16);
  ASSERT_TRUE(cast.input(0).node().is("Transpose"));
  EXPECT_EQ(cast.input(0).node().input(0), model.find_parameter("q")->output(0));
}

TEST(L6_Casts, OneOfTheSameTypeIsGoneAndOneElsewhereStays) {
  const ir::Model model = stateful_layer();
  EXPECT_EQ(model.count("Convert"), 4);  // queries, rows of keys and of values, and the one elsewhere
  for (const ir::Node* node : model.topological_order()) {
    if (node->is("Convert")) {
      EXPECT_NE(node->input(0).type().element, node->port_type(0).element) << node->name();
    }
  }
  EXPECT_TRUE(model.find_result("halves")->input(0).node().is("Convert"));
}

}  // namespace
}  // namespace tenon::contracts
