// T9: no translator drops a port.
#include <gtest/gtest.h>

#include <set>

#include "tenon/translate/cases.h"
#include "tenon/translate/convert.h"
#include "tenon/translate/node_context.h"
#include "tests/contracts/model_queries.h"
#include "tests/contracts/translator_samples.h"
#include "tests/support/breaker.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {
namespace {

using decoder::Edge;

const test::Breaker first_port("T9_port_0", "the first port is read for the second");
const test::Breaker row_forgotten("T9_row_without_sample", "the table has a row more");

// A source with two ports: the first like nothing that any op takes, the second of the type asked for.
struct TwoPortsAttributes : ir::AttributesOf<TwoPortsAttributes> {
  TensorType second;

  template <class V>
  void visit_fields(V& v) {
    v.field("second", second);
  }
};

const TensorType kFirstPort{ElementType::kI16, {Axis(11), Axis(13)}};

const ir::OpSchema kTwoPorts{.name = "TwoPorts",
                             .inputs = {},
                             .make_attributes = ir::make_attributes<TwoPortsAttributes>,
                             .infer = [](const ir::Inference& node) -> Result<std::vector<TensorType>> {
                               return std::vector{kFirstPort, node.attributes<TwoPortsAttributes>().second};
                             }};

Result<std::vector<ir::Value>> translate_two_ports(translate::NodeContext& context) {
  auto attributes = std::make_unique<TwoPortsAttributes>();
  TENON_ASSIGN(attributes->second, context.declared_output(1));
  TENON_ASSIGN(ir::Node* const node, context.model().add(kTwoPorts, {}, std::move(attributes), "two"));
  return std::vector{node->output(0), node->output(1)};
}

std::vector<translate::TranslatorRow> table_with_two_ports() {
  const auto rows = translate::translators();
  std::vector<translate::TranslatorRow> out(rows.begin(), rows.end());
  out.push_back({"TWO_PORTS", translate_two_ports, translate::kOneCase});
  return out;
}

// The sample with port 1 of a TwoPorts as input `which`.
test::HandDecoder fed_by_port_1(const TranslatorSample& sample, size_t which) {
  test::HandDecoder graph;
  std::vector<Edge> inputs;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    if (i != which) {
      inputs.push_back(graph.input("in" + std::to_string(i), sample.inputs[i], decoder::InputRole::kOther,
                                   sample.inputs[i] == "i64[1]" ? "K" : ""));
      continue;
    }
    const Edge two =
        graph.node({"TWO_PORTS", "", {}, {}, {kFirstPort, TensorType::parse(sample.inputs[i]).value()}, {}});
    inputs.push_back({two.node, first_port.active() ? 0 : 1});
  }
  decoder::NodeView node{sample.op, "", sample.attributes, inputs, {}, {}};
  for (const std::string& type : sample.outputs) node.outputs.push_back(TensorType::parse(type).value());
  graph.output("out", graph.node(node));
  return graph;
}

TEST(T9_Ports, EveryTranslatorConsumesThePortThatItIsGiven) {
  const auto table = table_with_two_ports();
  for (const TranslatorSample& sample : translator_samples()) {
    for (size_t input = 0; input < sample.inputs.size(); ++input) {
      SCOPED_TRACE(sample.op + " " + translate::case_of(sample.attributes) + ", input " +
                   std::to_string(input));
      const Result<ir::Model> model = translate::translate(fed_by_port_1(sample, input), table);
      if (sample.inputs[input] == "i64[1]") {
        // A count that has to be known at conversion: the error shows which port was looked at.
        ASSERT_FALSE(model.ok());
        EXPECT_NE(model.error().message().find("i64["), std::string::npos) << model.error().message();
        continue;
      }
      ASSERT_TRUE(model.ok()) << model.error().message();
      const ir::Node& two = *find_op(*model, "TwoPorts");
      EXPECT_TRUE(two.port_uses(0).empty());
      EXPECT_FALSE(two.port_uses(1).empty());
    }
  }
}

TEST(T9_Ports, EveryRowAndCaseHasASample) {
  std::set<std::pair<std::string, std::string>> sampled;
  for (const TranslatorSample& sample : translator_samples())
    sampled.emplace(sample.op, translate::case_of(sample.attributes));
  const auto rows = translate::translators();
  std::vector<translate::TranslatorRow> table(rows.begin(), rows.end());
  if (row_forgotten.active()) table.push_back({"NEW_OP", translate_two_ports, translate::kOneCase});
  for (const translate::TranslatorRow& row : table) {
    for (const std::string_view op_case : row.cases) {
      EXPECT_TRUE(sampled.contains({std::string(row.op), std::string(op_case)})) << row.op << " " << op_case;
    }
  }
}

// From an index input back to the TopK: the port that is read there.
int port_of_topk(ir::Value value) {
  while (!value.node().is("TopK")) {
    if (value.node().input_count() == 0) throw std::logic_error("[port_of_topk] no TopK behind the index");
    value = value.node().input(0);
  }
  return value.port();
}

// TOP_K of scores [1,1,3,9], then an op that regroups, then what `read` does with the ids.
ir::Model selected(std::string_view between, decoder::NodeAttributes attributes,
                   const std::function<void(test::HandDecoder&, Edge ids)>& read) {
  test::HandDecoder graph;
  const Edge scores = graph.input("scores", "f32[1,1,3:token,9:expert]");
  Edge ids = graph.node("TOP_K", {scores}, "i32[1,1,3:token,2:expert]", decoder::TopKAttributes{2});
  ids = graph.node(between, {ids}, "i32[1,1,3:token,2:expert]", std::move(attributes));
  read(graph, ids);
  ir::Model model = translate::translate(graph).value();
  if (first_port.active()) {
    ir::Node& topk = *find_op(model, "TopK");
    EXPECT_TRUE(model.replace_uses(topk.output(1), topk.output(0)).ok());
  }
  return model;
}

TEST(T9_Ports, SelectedIdsReachTheirReaders) {
  const std::pair<std::string, decoder::NodeAttributes> between[] = {
      {"VIEW", decoder::ViewAttributes{3, 0, 2, {}}},
      {"RESHAPE", decoder::ReshapeAttributes{}},
      {"CONT", {}},
  };
  for (const auto& [op, attributes] : between) {
    SCOPED_TRACE(op);
    const ir::Model experts = selected(op, attributes, [](test::HandDecoder& graph, Edge ids) {
      const Edge w = graph.input("w", "f32[9:expert,6,8]"), x = graph.input("x", "f32[1,3:token,1,8]");
      graph.output("out", graph.node("MUL_MAT_ID", {w, x, ids}, "f32[1,3:token,2:expert,6]"));
    });
    EXPECT_EQ(port_of_topk(find_op(experts, "MatMulExperts")->input(2)), 1);
    const ir::Model rows = selected(op, attributes, [](test::HandDecoder& graph, Edge ids) {
      const Edge flat = graph.node("RESHAPE", {ids}, "i32[1,1,1,6]", decoder::ReshapeAttributes{});
      graph.output("out", graph.node("GET_ROWS", {graph.input("table", "f32[9,8]"), flat}, "f32[1,1,6,8]"));
    });
    EXPECT_EQ(port_of_topk(find_op(rows, "Gather")->input(1)), 1);
  }
}

}  // namespace
}  // namespace tenon::contracts
