#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"

namespace tenon::ir {
namespace {

// The elements of %v:port in a model with x f32[1,T:token,8,4], size i64[1] (the symbol KV) and free i64[2].
std::string elements(const std::string& body, int port = 0) {
  const Result<Model> model = parse(
      "model \"m\" {\n"
      "  %x = Parameter() {name=\"x\", type=f32[1,T:token,8,4]}\n"
      "  %size = Parameter() {name=\"size\", type=i64[1], value_symbol=\"KV\"}\n"
      "  %free = Parameter() {name=\"free\", type=i64[2]}\n" +
          body + "\n}",
      op::all_schemas());
  if (!model.ok()) return model.error().message();
  const auto dims = value_as_dims(model->find("v")->output(port));
  if (!dims) return "unknown";
  std::string out;
  for (const Dim& dim : *dims) out += (out.empty() ? "" : ",") + dim.to_string();
  return out;
}

TEST(ValueAsDims, ConstantsAndInputsThatCarryASymbol) {
  EXPECT_EQ(elements("%v = Constant() {type=i64[3], values=[4,-1,7]}"), "4,-1,7");
  EXPECT_EQ(elements("%v = Convert(%size:0) {to=i32}"), "KV");
  EXPECT_EQ(elements("%v = Convert(%free:0) {to=i32}"), "unknown");
  EXPECT_EQ(elements("%v = Constant() {type=i64[3], weight=\"w\"}"), "unknown");
}

TEST(ValueAsDims, ShapesOfValues) { EXPECT_EQ(elements("%v = ShapeOf(%x:0)"), "1,T,8,4"); }

TEST(ValueAsDims, AnElementOfAShapeByPositionFromEitherEnd) {
  const std::string body = R"(
    %shape = ShapeOf(%x:0)
    %at = Constant() {type=i64[2], values=[1,-1]}
    %zero = Constant() {type=i64[], values=[0]}
    %picked = Gather(%shape:0, %at:0)
    %v = Reshape(%picked:0) {target=[1,2]})";
  EXPECT_EQ(elements(body), "T,4");
}

TEST(ValueAsDims, AnElementBeyondTheShapeIsUnknown) {
  EXPECT_EQ(elements(R"(
    %shape = ShapeOf(%x:0)
    %at = Constant() {type=i64[1], values=[4]}
    %v = Gather(%shape:0, %at:0))"),
            "unknown");
}

TEST(ValueAsDims, ConcatenatedLengths) {
  EXPECT_EQ(elements(R"(
    %rest = Constant() {type=i64[1], values=[-1]}
    %v = Concat(%size:0, %rest:0))"),
            "KV,-1");
  EXPECT_EQ(elements("%v = Concat(%size:0, %free:0)"), "unknown");
}

TEST(ValueAsDims, FloatsAreNoExtents) {
  EXPECT_EQ(elements(R"(
    %c = Constant() {type=i64[1], values=[3]}
    %v = Convert(%c:0) {to=f32})"),
            "unknown");
}

TEST(ValueAsDims, LongChainsEnd) {
  std::string body = "%c0 = Constant() {type=i64[1], values=[3]}\n";
  for (int i = 0; i < 40; ++i) {
    body += "%c" + std::to_string(i + 1) + " = Reshape(%c" + std::to_string(i) + ":0) {target=[1]}\n";
  }
  EXPECT_EQ(elements(body + "%v = Reshape(%c40:0) {target=[1]}"), "unknown");
  EXPECT_EQ(elements(body + "%v = Reshape(%c5:0) {target=[1]}"), "3");
}

}  // namespace
}  // namespace tenon::ir
