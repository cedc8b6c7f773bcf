#include "tenon/ir/text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tenon/op/op.h"

namespace tenon::ir {
namespace {

constexpr const char* kSelection = R"(model "selection" {
  symbol KV in [1, inf]
  symbol T in [1, 512]
  %scores = Parameter() {name="scores", type=f32[1,1,T:token,8]}
  %k = Constant() {type=i64[], values=[2]}
  %best = TopK(%scores:0, %k:0) {index_type=i64} : f32[1,1,T:token,2], i64[1,1,T:token,2]
  %ids = Result(%best:1) {name="ids"}
  %cache = Parameter() {name="cache_k_l0", type=f16[1,KV:position,2:head,4:head_size], role=cache, layer=0}
  %out = Result(%cache:0) {name="cache_k_l0"}
}
)";

Result<Model> parse_ops(std::string_view text, const WeightSource& weights = nullptr) {
  return parse(text, op::all_schemas(), weights);
}

std::string parse_error(std::string_view text) {
  const Result<Model> model = parse_ops(text);
  return model.ok() ? "" : model.error().message();
}

TEST(Text, PrintsWhatItParsed) {
  const Result<Model> model = parse_ops(kSelection);
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(print(*model), kSelection);
}

TEST(Text, CarriesPortsSymbolsAndAttributes) {
  const Model model = parse_ops(kSelection).value();
  EXPECT_EQ(model.name(), "selection");
  EXPECT_EQ(model.find("ids")->input(0).port(), 1);
  EXPECT_EQ(model.symbols().at("T"), (Bounds{1, 512}));
  EXPECT_EQ(model.symbols().at("KV"), (Bounds{1, INT64_MAX}));
  const auto& cache = model.find_parameter("cache_k_l0")->attributes_as<ParameterAttributes>();
  EXPECT_EQ(cache.role, ParameterRole::kCache);
  EXPECT_EQ(cache.layer, 0);
  EXPECT_EQ(cache.type.role(1), AxisRole::kPosition);
}

TEST(Text, SmallConstantsGetTheirBytesFromTheirValues) {
  const Model model = parse_ops(R"(model "m" {
    %a = Constant() {type=i32[3], values=[7,-1,5]}
    %r = Result(%a:0) {name="a"}
  })")
                          .value();
  const auto& constant = model.find("a")->attributes_as<ConstantAttributes>();
  const std::array<int32_t, 3> wanted = {7, -1, 5};
  ASSERT_EQ(constant.data.size, sizeof wanted);
  EXPECT_EQ(std::memcmp(constant.data.bytes, wanted.data(), sizeof wanted), 0);
}

TEST(Text, WeightsComeFromTheCallersSource) {
  constexpr const char* kText = R"(model "m" {
    %w = Constant() {type=f32[2], weight="norm.weight"}
    %r = Result(%w:0) {name="w"}
  })";
  const auto bytes = std::make_shared<std::array<float, 2>>(std::array<float, 2>{1.5f, 2.5f});
  const WeightSource source = [&](std::string_view weight, const TensorType& type) -> Result<ConstantData> {
    EXPECT_EQ(weight, "norm.weight");
    EXPECT_EQ(type.to_string(), "f32[2]");
    return ConstantData{bytes, reinterpret_cast<const std::byte*>(bytes->data()), sizeof *bytes};
  };
  const Model model = parse_ops(kText, source).value();
  EXPECT_EQ(model.find("w")->attributes_as<ConstantAttributes>().data.owner, bytes);
  EXPECT_EQ(parse_ops(kText).value().find("w")->attributes_as<ConstantAttributes>().data.bytes, nullptr);
  const WeightSource none = [](std::string_view, const TensorType&) -> Result<ConstantData> {
    return Error{ErrorCode::kInvalidFile, "norm.weight", "a tensor of the file", "none", ""};
  };
  const Result<Model> missing = parse_ops(kText, none);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("line 2, column"), std::string::npos) << missing.error().message();
}

TEST(Text, CommentsAndSpaceDoNotCount) {
  const Model model =
      parse_ops(
          "model \"m\"{// a comment with } and %\n %x=Parameter(){name=\"x // y\", type=f32[2]}\n"
          "  // the end\n %r=Result( %x : 0 ) {name=\"r\"} }  ")
          .value();
  EXPECT_EQ(model.node_count(), 2u);
  EXPECT_NE(model.find_parameter("x // y"), nullptr);
}

// Names of models come from files.
TEST(Text, AnyNameOfAModelSurvives) {
  const std::string once = print(Model("Llama \"3.2\"\n1B"));
  const Result<Model> again = parse_ops(once);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(print(*again), once);
}

TEST(Text, DeclaredTypesAreHeldAgainstTheInferredOnes) {
  constexpr const char* kBody = "model \"m\" {\n  %x = Parameter() {name=\"x\", type=f32[T:token,8]}\n";
  EXPECT_EQ(parse_error(std::string(kBody) + "  %s = Sqrt(%x:0) : f32[T:token,8]\n}"), "");
  EXPECT_EQ(parse_error(std::string(kBody) + "  %s = Sqrt(%x:0)\n}"), "");
  const std::string message = parse_error(std::string(kBody) + "  %s = Sqrt(%x:0) : f32[T,8]\n}");
  EXPECT_NE(message.find("line 3, column 21"), std::string::npos) << message;
  EXPECT_NE(message.find("f32[T:token,8] at port 0"), std::string::npos) << message;
}

TEST(Text, ErrorsNameLineColumnAndWhatWasWanted) {
  const struct {
    const char *body, *place, *wanted;
  } cases[] = {
      {"  %x = Nothing()\n}", "line 2, column 15", "an op of the catalogue, not 'Nothing'"},
      {"  %x = Sqrt(%y:0)\n}", "line 2, column 17", "a node above, not %y"},
      {"  %x = Sqrt(%p:1)\n}", "line 2, column 17", "a port that %p has"},
      {"  %x = Sqrt(%p)\n}", "line 2, column 15", "':'"},
      {"  %p = Sqrt(%p:0)\n}", "line 2, column 5", "a node name of its own"},
      {"  symbol T in [1, many]\n}", "line 2, column 19", "an integer"},
      {"  %c = Constant() {type=i64[2], values=[1]}\n}", "line 2, column 3", "as many values as elements"},
      {"  %c = Constant() {type=f32[1], values=[1]}\n}", "line 2, column 3", "i32 or i64 elements"},
      {"  %x = Sqrt(%p:0) {axis=1}\n}", "line 2, column 19", "a field that the op has"},
      {"  %x = Sqrt(%p:0) {axis=1", "line 2, column 26", "a closing brace"},
      {"  %x = Sqrt(%p:0, %p:0)\n}", "line 2, column 3", "1 inputs"},
      {"  %x = Sqrt(%p:0)\n} more", "line 3, column 3", "the end of the text"},
      {"  %x = Sqrt(%p:0)\n", "line 3, column 1", "'%'"},
  };
  for (const auto& [body, place, wanted] : cases) {
    const std::string message =
        parse_error(std::string("model \"m\" { %p = Parameter() {name=\"p\", type=f32[2]}\n") + body);
    EXPECT_NE(message.find(place), std::string::npos) << body << ": " << message;
    EXPECT_NE(message.find(wanted), std::string::npos) << body << ": " << message;
  }
}

TEST(Text, CutOffTextIsAnErrorAtEveryByte) {
  const std::string whole = kSelection;
  for (size_t length = 0; length + 2 < whole.size(); ++length) {
    EXPECT_FALSE(parse_ops(std::string_view(whole).substr(0, length)).ok()) << length;
  }
}

}  // namespace
}  // namespace tenon::ir
