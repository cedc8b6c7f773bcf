// L15: heads and their size are facts of the model; cases are those of the table.
#include <gtest/gtest.h>

#include "tenon/translate/cases.h"
#include "tenon/translate/convert.h"
#include "tests/contracts/translator_samples.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using decoder::Edge;
using decoder::PermuteAttributes;
using decoder::PermuteCase;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;

const test::Breaker known_heads("L15_heads_known", "the decoder knows the heads and their size after all");
const test::Breaker known_case("L15_case_known", "the case is one of the table's");

std::string error_of(const decoder::Decoder& graph) {
  const auto model = translate::translate(graph);
  return model.ok() ? "no error" : model.error().message();
}

// A type whose heads H and head size D the decoder does not know.
std::string unknown(std::string type) {
  if (!known_heads.active()) return type;
  for (size_t at; (at = type.find('H')) != std::string::npos;) type.replace(at, 1, "2");
  for (size_t at; (at = type.find('D')) != std::string::npos;) type.replace(at, 1, "4");
  return type;
}
int64_t unknown(int64_t known) { return known_heads.active() ? known : 0; }

TEST(L15_StaticHeads, AtReshape) {
  test::HandDecoder by_type;
  by_type.output("out", by_type.node("RESHAPE", {by_type.input("x", "f32[1,1,T:token,8]")},
                                     unknown("f32[1,T:token,H:head,D:head_size]"), ReshapeAttributes{}));
  EXPECT_EQ(error_of(by_type),
            "ggml RESHAPE 'RESHAPE.1': wanted a constant extent of axis 2, head, found H in "
            "f32[1,T:token,H:head,D:head_size] (declare heads and head size as the model has them)");

  test::HandDecoder by_case;
  by_case.output(
      "out", by_case.node("RESHAPE", {by_case.input("x", "f32[1,1,T:token,8:channel]")}, "f32[1,T:token,2,4]",
                          ReshapeAttributes{ReshapeCase::kSplitHeads, unknown(2), 4}));
  EXPECT_EQ(error_of(by_case),
            "ggml RESHAPE 'RESHAPE.1': wanted a constant head count and head size, found 0 heads of 4");
}

TEST(L15_StaticHeads, AtPermute) {
  test::HandDecoder by_type;
  by_type.output("out", by_type.node("PERMUTE", {by_type.input("x", "f32[1,T:token,2,4]")},
                                     unknown("f32[1,2:head,T:token,D:head_size]"), PermuteAttributes{}));
  EXPECT_EQ(error_of(by_type),
            "ggml PERMUTE 'PERMUTE.1': wanted a constant extent of axis 3, head_size, found D in "
            "f32[1,2:head,T:token,D:head_size] (declare heads and head size as the model has them)");

  test::HandDecoder by_case;
  const Edge count = by_case.input("n", "i64[1]", decoder::InputRole::kOther, "N");
  by_case.output("out",
                 by_case.node("PERMUTE", {by_case.input("x", "f32[1,1,N*S,8]"), count}, "f32[N,2,S,4]",
                              PermuteAttributes{PermuteCase::kSplitSequencesThenSwap, {}, 2, unknown(4)}));
  EXPECT_EQ(error_of(by_case),
            "ggml PERMUTE 'PERMUTE.2': wanted a constant head count and head size, found 2 heads of 0");
}

TEST(L15_StaticHeads, AtAttention) {
  test::HandDecoder graph;
  const Edge x = graph.input("x", "f32[1,1,T:token,8]");
  const Edge q = graph.node("RESHAPE", {x}, unknown("f32[1,T:token,H,D]"),
                            ReshapeAttributes{ReshapeCase::kSplitHeads, 2, 4});
  graph.output("out",
               graph.node("FLASH_ATTN_EXT", {q, q, q}, "f32[1,T:token,2,4]", decoder::AttentionAttributes{}));
  const std::string message = error_of(graph);
  for (const char* const part : {"FLASH_ATTN_EXT 'FLASH_ATTN_EXT.2'", "axis 2", "f32[1,T:token,H,D]"})
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
}

TEST(L15_StaticHeads, AtACache) {
  for (const auto& [type, found] :
       {std::pair("f16[1,KV:position,H:head,4:head_size]", "axis 2, head, found H"),
        std::pair("f16[1,KV:position,2:head,D:head_size]", "axis 3, head_size, found D"),
        std::pair("f16[1,1,KV:position,H*D:channel]", "axis 3, channel, found D*H")}) {
    test::HandDecoder graph;
    graph.output("out", graph.cache("cache_k_l0", unknown(type)));
    const std::string message = error_of(graph);
    for (const std::string part : {"'cache_k_l0'", found})
      EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
}

// Attention and the splits take four axes, and no fewer for a rank that nobody knows.
TEST(L15_StaticHeads, RankIsFour) {
  test::HandDecoder graph;
  const Edge q = graph.input(
      "q", known_heads.active() ? "f32[1,T:token,2:head,4:head_size]" : "f32[T:token,2:head,4:head_size]");
  graph.output("out", graph.node("FLASH_ATTN_EXT", {q, q, q}, "f32[1,T:token,2:head,4:head_size]",
                                 decoder::AttentionAttributes{}));
  EXPECT_EQ(error_of(graph),
            "ggml FLASH_ATTN_EXT 'FLASH_ATTN_EXT.1': wanted Q, K and V of rank 4, found "
            "f32[T:token,2:head,4:head_size]");
}

// Sets the attributes to a case that no table has; false where the kind of attributes has none.
struct MakeUnknown {
  bool operator()(decoder::ArgsortAttributes& a) const { return set(a.order); }
  bool operator()(decoder::AttentionAttributes& a) const { return set(a.layout); }
  bool operator()(decoder::GluAttributes& a) const { return a.split = a.swapped = true; }
  bool operator()(decoder::GluOaiAttributes& a) const { return (*this)(a.operands); }
  bool operator()(PermuteAttributes& a) const { return set(a.permute_case); }
  bool operator()(ReshapeAttributes& a) const { return set(a.regroup); }
  bool operator()(decoder::RopeAttributes& a) const { return set(a.mode); }
  bool operator()(decoder::ViewAttributes& a) const { return set(a.reshape.regroup); }
  template <class Other>
  bool operator()(Other&) const {
    return false;
  }
  template <class Enum>
  static bool set(Enum& value) {
    value = static_cast<Enum>(3);
    return true;
  }
};

TEST(L15_Cases, EveryTranslatorRefusesAnUnknownOne) {
  int refused = 0;
  for (const translate::TranslatorRow& row : translate::translators()) {
    if (row.cases.size() == 1) continue;
    SCOPED_TRACE(row.op);
    bool has_sample = false;
    for (const TranslatorSample& sample : translator_samples()) {
      if (sample.op != row.op || has_sample) continue;
      has_sample = true;
      decoder::NodeAttributes attributes = sample.attributes;
      ASSERT_TRUE(std::visit(MakeUnknown(), attributes));
      test::HandDecoder graph;
      std::vector<Edge> inputs;
      for (const std::string& type : sample.inputs) {
        inputs.push_back(graph.input("in" + std::to_string(inputs.size()), type));
      }
      graph.output("out", graph.node(sample.op, inputs, sample.outputs.front(),
                                     known_case.active() ? sample.attributes : attributes));
      const std::string node = sample.op + " '" + sample.op + "." + std::to_string(inputs.size()) + "'";
      EXPECT_EQ(error_of(graph), "ggml " + node + ": wanted a known case of the op, found case 3");
      ++refused;
    }
    EXPECT_TRUE(has_sample);
  }
  EXPECT_GE(refused, 9);
}

}  // namespace
}  // namespace tenon::contracts
