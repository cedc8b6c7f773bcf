#include "tenon/plan/views.h"

#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"

namespace tenon::plan {
namespace {

std::string join(const std::vector<Dim>& dims) {
  std::string out;
  for (const Dim& dim : dims) out += (out.empty() ? "" : ",") + dim.to_string();
  return out;
}

std::string describe(const std::optional<Operand>& view) {
  if (!view) return "a copy";
  return "[" + join(view->extents) + "] by [" + join(view->strides) + "] at " + view->offset.to_string();
}

Operand packed(const TensorType& type) {
  return {0, type.element, type.dims(), contiguous_strides(type), Dim(0)};
}

// The views of the chain of nodes in `body`, the first of which reads %x:0 of `type`; the last is told, at
// `port`.
std::string view_through(const std::string& type, const std::string& body, int port = 0) {
  const Result<ir::Model> model =
      ir::parse("model \"m\" {\n  %x = Parameter() {name=\"x\", type=" + type + "}\n" + body + "\n}",
                op::all_schemas());
  if (!model.ok()) return model.error().message();
  std::optional<Operand> view = packed(model->find("x")->port_type(0));
  const std::vector<ir::Node*> order = model->topological_order();
  for (const ir::Node* node : order) {
    if (node->is("Parameter") || node->is("Constant")) continue;
    view = view_of(*node, node == order.back() ? port : 0, *view);
    if (!view) break;
  }
  return describe(view);
}

TEST(Views, PackedStridesAreBytesInnermostLast) {
  const TensorType type = TensorType::parse("f16[1,T,2,16]").value();
  EXPECT_EQ(join(contiguous_strides(type)), "64*T,64,32,2");
  EXPECT_EQ(packed_bytes(type).to_string(), "64*T");
  EXPECT_TRUE(is_contiguous(packed(type)));
}

// A q4_k row of 512 elements is two blocks of 144 bytes.
TEST(Views, RowsOfBlocksAreWholeBlocks) {
  const TensorType type = TensorType::parse("q4_k[3,512]").value();
  EXPECT_EQ(join(contiguous_strides(type)), "288,144");
  EXPECT_EQ(packed_bytes(type), Dim(864));
}

TEST(Views, APackedTensorTakesAnyGrouping) {
  EXPECT_EQ(view_through("f32[1,1,T:token,8]", "%v = Reshape(%x:0) {target=[0,-1,2,4], special_zero=true}"),
            "[1,T,2,4] by [32*T,32,16,4] at 0");
}

TEST(Views, TransposeSwapsStrides) {
  const char* const kSwap = R"(
    %order = Constant() {type=i64[4], values=[0,2,1,3]}
    %v = Transpose(%x:0, %order:0))";
  EXPECT_EQ(view_through("f32[1,T,2,4]", kSwap), "[1,2,T,4] by [32*T,16,32,4] at 0");
}

TEST(Views, OnesComeAndGoWhateverTheStrides) {
  const char* const kOnes = R"(
    %order = Constant() {type=i64[3], values=[1,0,2]}
    %t = Transpose(%x:0, %order:0)
    %v = Reshape(%t:0) {target=[2,1,5,1,4]})";
  EXPECT_EQ(view_through("f32[5,2,4]", kOnes), "[2,1,5,1,4] by [16,4,32,4,4] at 0");
}

TEST(Views, GroupingAcrossATransposeIsACopy) {
  const char* const kMerge = R"(
    %order = Constant() {type=i64[3], values=[1,0,2]}
    %t = Transpose(%x:0, %order:0)
    %v = Reshape(%t:0) {target=[2,20]})";
  EXPECT_EQ(view_through("f32[5,2,4]", kMerge), "a copy");
}

// The last axis of a part of it: what each token's row is cut into lies as close as before.
TEST(Views, HeadsOfAPartOfEachRow) {
  const char* const kHeads = R"(
    %lengths = Constant() {type=i64[3], values=[2,8,10]}
    %s = VariadicSplit(%x:0, %lengths:0) {axis=3}
    %v = Reshape(%s:1) {target=[0,-1,2,4], special_zero=true})";
  const ir::Model model =
      ir::parse(std::string("model \"m\" {\n  %x = Parameter() {name=\"x\", type=f32[1,1,T:token,20]}\n") +
                    kHeads + "\n}",
                op::all_schemas())
          .value();
  const Operand part = *view_of(*model.find("s"), 1, packed(model.find("x")->port_type(0)));
  EXPECT_EQ(describe(view_of(*model.find("v"), 0, part)), "[1,T,2,4] by [4,80,16,4] at 8");
}

// Axes that lie without gaps become one; across a gap they do not.
TEST(Views, MergingStopsAtAGap) {
  const char* const kPart = R"(
    %lengths = Constant() {type=i64[2], values=[2,4]}
    %s = VariadicSplit(%x:0, %lengths:0) {axis=1})";
  EXPECT_EQ(view_through("f32[5,6,4]", std::string(kPart) + "%v = Reshape(%s:0) {target=[5,8]}"),
            "[5,8] by [96,4] at 0");
  EXPECT_EQ(view_through("f32[5,6,4]", std::string(kPart) + "%v = Reshape(%s:0) {target=[10,4]}"), "a copy");
}

TEST(Views, SplitsStartWhereTheirAxisSays) {
  const char* const kSplit = R"(
    %size = Parameter() {name="size", type=i64[1], value_symbol="KV"}
    %rest = Constant() {type=i64[1], values=[-1]}
    %lengths = Concat(%size:0, %rest:0)
    %v = VariadicSplit(%x:0, %lengths:0) {axis=1})";
  const auto split = [&](int port) {
    const ir::Model model =
        ir::parse(std::string("model \"m\" {\n  %x = Parameter() {name=\"x\", type=f16[1,64,2,16]}\n") +
                      kSplit + "\n}",
                  op::all_schemas())
            .value();
    return describe(view_of(*model.find("v"), port, packed(model.find("x")->port_type(0))));
  };
  EXPECT_EQ(split(0), "[1,KV,2,16] by [4096,64,32,2] at 0");
  EXPECT_EQ(split(1), "[1,-KV+64,2,16] by [4096,64,32,2] at 64*KV");
}

// All parts may be as long as the whole: the axis is told by the op, not found by comparing.
TEST(Views, APartOfNoneIsAPartStill) {
  const char* const kSplit = R"(
    %lengths = Constant() {type=i64[2], values=[0,3]}
    %v = VariadicSplit(%x:0, %lengths:0) {axis=-1})";
  EXPECT_EQ(view_through("f32[2,3]", kSplit, 0), "[2,0] by [12,4] at 0");
  EXPECT_EQ(view_through("f32[2,3]", kSplit, 1), "[2,3] by [12,4] at 0");
}

TEST(Views, AViewOfAViewKeepsItsOffset) {
  const char* const kChain = R"(
    %lengths = Constant() {type=i64[2], values=[1,2]}
    %s = VariadicSplit(%x:0, %lengths:0) {axis=0}
    %v = Unsqueeze(%s:1) {axes=[0]})";
  const ir::Model model =
      ir::parse(
          std::string("model \"m\" {\n  %x = Parameter() {name=\"x\", type=f32[3,4]}\n") + kChain + "\n}",
          op::all_schemas())
          .value();
  const Operand part = *view_of(*model.find("s"), 1, packed(model.find("x")->port_type(0)));
  EXPECT_EQ(describe(view_of(*model.find("v"), 0, part)), "[1,2,4] by [32,16,4] at 16");
}

TEST(Views, OtherOpsAreNoViews) { EXPECT_EQ(view_through("f32[2,3]", "%v = Sqrt(%x:0)"), "a copy"); }

}  // namespace
}  // namespace tenon::plan
