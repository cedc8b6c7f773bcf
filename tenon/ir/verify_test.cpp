#include "tenon/ir/verify.h"

#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"

namespace tenon::ir {
namespace {

// The message of the verifier for a model with parameters x f32[1,1,T:token,8], table f32[16,8], ids
// i32[1,T:token].
std::string violation(const std::string& body, Stage stage = Stage::kConverted) {
  const Result<Model> model = parse(
      "model \"m\" {\n"
      "  %x = Parameter() {name=\"x\", type=f32[1,1,T:token,8]}\n"
      "  %table = Parameter() {name=\"table\", type=f32[16,8]}\n"
      "  %ids = Parameter() {name=\"ids\", type=i32[1,T:token]}\n" +
          body + "\n}",
      op::all_schemas());
  if (!model.ok()) return "does not parse: " + model.error().message();
  const Status status = verify(*model, stage);
  return status.ok() ? "" : status.error().message();
}

TEST(Verify, TakesASoundModel) {
  EXPECT_EQ(violation(R"(
    %rows = Gather(%table:0, %ids:0)
    %sum = Add(%rows:0, %x:0)
    %r = Result(%sum:0) {name="r"})"),
            "");
}

TEST(Verify, AnIndexThatIsAFloatIsRefusedWithProducerAndPort) {
  EXPECT_EQ(violation(R"(
    %k = Constant() {type=i64[], values=[2]}
    %top = TopK(%x:0, %k:0)
    %rows = Gather(%table:0, %top:0))"),
            "Gather 'rows': wanted i32 or i64 at input 'indices', found TopK %top:0 f32[1,1,T:token,2]");
  EXPECT_EQ(violation(R"(
    %k = Constant() {type=i64[], values=[2]}
    %top = TopK(%x:0, %k:0)
    %rows = Gather(%table:0, %top:1))"),
            "");
}

TEST(Verify, AConvertedFloatIsNoIndexEither) {
  const std::string message = violation(R"(
    %k = Constant() {type=i64[], values=[2]}
    %top = TopK(%x:0, %k:0)
    %whole = Convert(%top:0) {to=i32}
    %rows = Gather(%table:0, %whole:0))");
  EXPECT_NE(message.find("Gather 'rows'"), std::string::npos) << message;
  EXPECT_NE(message.find("TopK %top:0"), std::string::npos) << message;
}

// Where an op's own rule asks for no more than the kind of its input.
TEST(Verify, AFloatInputTakesNoIntegers) {
  const OpSchema schema{.name = "Norm",
                        .inputs = {{"x", InputKind::kFloat}},
                        .make_attributes = make_attributes<NoAttributes>,
                        .infer = [](const Inference& node) -> Result<std::vector<TensorType>> {
                          return std::vector<TensorType>{node.type(0)};
                        }};
  Model model;
  ParameterAttributes ids;
  ids.name = "ids";
  ids.type = {ElementType::kI32, {4}};
  const Value input = model.add_parameter(ids).value();
  ASSERT_TRUE(model.add(schema, {input}, nullptr, "n").ok());
  const Status status = verify(model, Stage::kConverted);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(),
            "Norm 'n': wanted a float type at input 'x', found Parameter %ids:0 i32[4]");
}

TEST(Verify, TokensAgainstTokensAreRefusedNamingBothProducers) {
  const std::string message = violation(R"(
    %other = Parameter() {name="other", type=f32[1,T:token,1,8]}
    %sum = Add(%x:0, %other:0))");
  EXPECT_NE(message.find("Add 'sum'"), std::string::npos) << message;
  EXPECT_NE(message.find("Parameter %x:0 f32[1,1,T:token,8]"), std::string::npos) << message;
  EXPECT_NE(message.find("Parameter %other:0 f32[1,T:token,1,8]"), std::string::npos) << message;
}

// Aligned from the right, as broadcasting does it.
TEST(Verify, TokensOnTheSameAxisOfDifferentRanksPass) {
  EXPECT_EQ(violation(R"(
    %other = Parameter() {name="other", type=f32[T:token,8]}
    %sum = Add(%x:0, %other:0))"),
            "");
}

TEST(Verify, TokensAgainstPositionsAreAMaskBeingBuilt) {
  EXPECT_EQ(violation(R"(
    %rows = Parameter() {name="rows", type=f32[T:token,1]}
    %keys = Parameter() {name="keys", type=f32[KV:position]}
    %mask = Subtract(%rows:0, %keys:0))"),
            "");
}

TEST(Verify, SetRowsStandsUntilTheLowering) {
  const std::string body = R"(
    %cache = Parameter() {name="cache", type=f32[1,KV,2,4], role=cache}
    %rows = Parameter() {name="rows", type=f32[1,T,2,4]}
    %at = Parameter() {name="at", type=i64[1,1,1,T]}
    %written = SetRows(%rows:0, %at:0, %cache:0)
    %r = Result(%written:0) {name="cache"})";
  EXPECT_EQ(violation(body, Stage::kTranslated), "");
  EXPECT_EQ(
      violation(body, Stage::kConverted),
      "SetRows 'written': wanted no SetRows after conversion, found one that no pass and no lowering took");
}

TEST(Verify, NamesOfInputsAndOutputsOccurOnce) {
  EXPECT_EQ(violation("%again = Parameter() {name=\"x\", type=f32[2]}"),
            "Parameter 'again': wanted a name of its own, found a second 'x'");
  EXPECT_EQ(violation("%a = Result(%x:0) {name=\"out\"}\n%b = Result(%x:0) {name=\"out\"}"),
            "Result 'b': wanted a name of its own, found a second 'out'");
}

// A rule whose answer depends on more than its inputs: only then can stored and inferred types differ.
int64_t g_extent = 4;

TEST(Verify, StoredTypesAreHeldAgainstTheRule) {
  const OpSchema schema{.name = "Source",
                        .inputs = {},
                        .make_attributes = make_attributes<NoAttributes>,
                        .infer = [](const Inference&) -> Result<std::vector<TensorType>> {
                          return std::vector<TensorType>{{ElementType::kF32, {g_extent}}};
                        }};
  g_extent = 4;
  Model model;
  ASSERT_TRUE(model.add(schema, {}, nullptr, "s").ok());
  EXPECT_TRUE(verify(model, Stage::kConverted).ok());
  g_extent = 5;
  const Status status = verify(model, Stage::kConverted);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "Source 's': wanted type f32[5] at port 0, found f32[4]");
}

}  // namespace
}  // namespace tenon::ir
