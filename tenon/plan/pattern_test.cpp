#include "tenon/plan/pattern.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"

namespace tenon::plan {
namespace {

class PatternTest : public testing::Test {
 protected:
  const ir::Model model_ = ir::parse(R"(model "m" {
    %x = Parameter() {name="x", type=f32[1,1,T:token,8]}
    %cache = Parameter() {name="cache", type=f32[1,8,2,4], role=cache}
    %rows = Parameter() {name="rows", type=f32[1,T,2,4]}
    %at = Parameter() {name="at", type=i64[1,1,1,T]}
    %lengths = Constant() {type=i64[2], values=[5,3]}
    %w = Constant() {type=f32[8,8], weight="w"}
    %v = Constant() {type=f32[8,8], weight="v"}
    %b = Constant() {type=f32[8], weight="b"}
    %k = Constant() {type=i64[], values=[8]}
    %product = MatMul(%x:0, %w:0) {transpose_b=true}
    %other = MatMul(%x:0, %v:0) {transpose_b=true}
    %biased = Add(%b:0, %product:0)
    %sum = Add(%biased:0, %x:0)
    %gate = SwiGLU(%product:0, %other:0)
    %twice = SwiGLU(%product:0, %product:0)
    %norm = RMSNorm(%x:0)
    %top = TopK(%x:0, %k:0) {index_type=i64}
    %values = Add(%top:0, %x:0)
    %ids = TopK(%b:0, %k:0) {index_type=i64}
    %picked = Gather(%w:0, %ids:1)
    %scatter = ScatterUpdate(%cache:0, %at:0, %rows:0) {axis=1}
    %split = VariadicSplit(%scatter:0, %lengths:0) {axis=1}
  })",
                                     op::all_schemas())
                               .value();

  ir::Node& node(std::string_view name) const { return *model_.find(name); }
  ir::Value value(std::string_view name) const { return node(name).output(0); }

  // Names of the replaced nodes and of the operands, for each way that fits; or "no match".
  std::string match(std::string_view pattern, std::string_view root) const {
    std::string out;
    for (const Match& found : Pattern::parse(pattern).matches(node(root))) {
      if (!out.empty()) out += " | ";
      for (const ir::Node* replaced : found.nodes)
        out += (replaced == &found.root() ? "" : " ") + replaced->name();
      out += ":";
      for (const ir::Value& operand : found.operands) out += " " + operand.node().name();
    }
    return out.empty() ? "no match" : out;
  }
};

TEST_F(PatternTest, AnOpWithoutInputsTakesThemAll) {
  EXPECT_EQ(match("ScatterUpdate", "scatter"), "scatter: cache at rows");
  EXPECT_EQ(match("ScatterUpdate", "split"), "no match");
  EXPECT_EQ(match("*", "norm"), "norm: x");
}

TEST_F(PatternTest, OperandsComeInTheOrderOfFirstMention) {
  EXPECT_EQ(match("MatMul(x, w:Constant)", "product"), "product: x w");
  EXPECT_EQ(match("VariadicSplit(ScatterUpdate(c:Parameter, i, r), l)", "split"),
            "split scatter: cache at rows lengths");
}

TEST_F(PatternTest, AnOperandMayBeAskedToComeFromAnOp) {
  EXPECT_EQ(match("SwiGLU(a:MatMul, b:MatMul)", "gate"), "gate: product other");
  EXPECT_EQ(match("MatMul(x:Constant, w)", "product"), "no match");
}

TEST_F(PatternTest, SumsAndProductsAreTakenBothWays) {
  EXPECT_EQ(match("Add(a, b)", "biased"), "biased: b product | biased: product b");
  EXPECT_EQ(match("Add(MatMul(x, w:Constant), b:Constant)", "biased"), "biased product: x w b");
  EXPECT_EQ(match("Add(r, Add(MatMul(x, w), b:Constant))", "sum"), "sum biased product: x x w b");
  // Not so where the order of inputs means something.
  EXPECT_EQ(match("SwiGLU(MatMul(x, w:Parameter), y)", "gate"), "no match");
}

TEST_F(PatternTest, OneNameIsOneValue) {
  EXPECT_EQ(match("SwiGLU(MatMul(x, g), MatMul(x, u))", "gate"), "gate product other: x w v");
  EXPECT_EQ(match("SwiGLU(a, a)", "twice"), "twice: product");
  EXPECT_EQ(match("SwiGLU(a, a)", "gate"), "no match");
}

TEST_F(PatternTest, InnerNodesAreTakenByTheirFirstPort) {
  EXPECT_EQ(match("Add(TopK(x, k), r)", "values"), "values top: x k x");
  // The ids of a TopK are not its values.
  EXPECT_EQ(match("Gather(x, TopK(y, k))", "picked"), "no match");
  EXPECT_EQ(match("Gather(x, i:TopK)", "picked"), "picked: w ids");
}

TEST_F(PatternTest, TheNumberOfInputsCounts) {
  EXPECT_EQ(match("RMSNorm(x, w)", "norm"), "no match");
  EXPECT_EQ(match("ScatterUpdate(a, b)", "scatter"), "no match");
}

TEST_F(PatternTest, ReplacedNodesAreFoundByTheirOp) {
  const Match found = Pattern::parse("Add(MatMul(x, w), b:Constant)").matches(node("biased")).at(0);
  EXPECT_EQ(&found.root(), &node("biased"));
  EXPECT_EQ(&found.node("MatMul"), &node("product"));
  EXPECT_THROW(found.node("SwiGLU"), std::logic_error);
  EXPECT_EQ(Pattern::parse("Add(MatMul(x, w), b:Constant)").node_count(), 2u);
}

TEST(Pattern, BrokenTextIsMisuse) {
  for (const char* const text :
       {"", "Add(", "Add(a,)", "Add(a b)", "Add(a) more", "lower", "Add(x:)", "(x)"}) {
    EXPECT_THROW(Pattern::parse(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace tenon::plan
