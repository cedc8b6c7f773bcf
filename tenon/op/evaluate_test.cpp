#include "tenon/op/evaluate.h"

#include <set>

#include "tenon/op/one_node.h"
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

const std::string kTail =
    "  %n = Parameter() {name=\"n\", type=i64[1], value_symbol=\"A\"}\n"
    "  %rest = Constant() {type=i64[1], values=[-1]}\n"
    "  %lengths = Concat(%n:0, %rest:0)\n"
    "  %y = VariadicSplit(%p0:0, %lengths:0) {axis=0}\n"
    "  %head = Result(%y:0) {name=\"head\"}\n"
    "  %tail = Result(%y:1) {name=\"tail\"}\n";

Result<HostTensors> run(const HostTensors& inputs) {
  return evaluate(ir::parse(with_parameters({"f32[T,2]"}, kTail), all_schemas()).value(), inputs);
}

HostTensor rows(int64_t count) { return HostTensor::make(ElementType::kF32, {count, 2}); }
HostTensor length(double value) { return HostTensor::of(ElementType::kI64, {1}, {value}); }

TEST(Evaluate, TakesSymbolsFromExtentsAndValues) {
  const auto out = run({{"p0", rows(5)}, {"n", length(3)}});
  ASSERT_TRUE(out.ok()) << out.error().message();
  EXPECT_EQ(out->at("head").extents, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(out->at("tail").extents, (std::vector<int64_t>{2, 2}));
}

TEST(Evaluate, NamesWhatIsWrongWithAnInput) {
  const auto expect = [](const Result<HostTensors>& out, const std::string& part) {
    ASSERT_FALSE(out.ok());
    EXPECT_NE(out.error().message().find(part), std::string::npos) << out.error().message();
  };
  expect(run({{"p0", rows(5)}}), "input 'n'");
  expect(run({{"p0", rows(5)}, {"n", length(3)}, {"x", length(3)}}), "input 'x'");
  expect(run({{"p0", HostTensor::make(ElementType::kF16, {5, 2})}, {"n", length(3)}}), "f16");
  expect(run({{"p0", HostTensor::make(ElementType::kF32, {5, 3})}, {"n", length(3)}}), "extent 2 on axis 1");
  expect(run({{"p0", rows(5)}, {"n", length(6)}}), "-A+T of 0 or more");
  expect(run({{"p0", HostTensor{ElementType::kF32, {5, 2}, {}}}, {"n", length(3)}}), "bytes");
}

TEST(Evaluate, OneValueForASymbol) {
  const auto model =
      ir::parse(with_parameters({"f32[T]", "f32[T]"}, "%y = Add(%p0:0, %p1:0)"), all_schemas()).value();
  const auto out = evaluate(model, {{"p0", HostTensor::make(ElementType::kF32, {3})},
                                    {"p1", HostTensor::make(ElementType::kF32, {4})}});
  ASSERT_FALSE(out.ok());
  EXPECT_NE(out.error().message().find("wanted T = 3, found 4"), std::string::npos) << out.error().message();
}

TEST(Evaluate, AConstantNeedsItsBytes) {
  const auto model =
      ir::parse(
          with_parameters({}, "%w = Constant() {type=f32[4], weight=\"w\"}\n%r = Result(%w:0) {name=\"r\"}"),
          all_schemas())
          .value();
  const auto out = evaluate(model, {});
  ASSERT_FALSE(out.ok());
  EXPECT_NE(out.error().message().find("16 bytes"), std::string::npos) << out.error().message();
}

TEST(Evaluate, SetRowsNeverRuns) {
  const auto model = ir::parse(with_parameters({"f32[1,2]", "i32[1]", "f32[3,2]"},
                                               "%y = SetRows(%p0:0, %p1:0, %p2:0) {axis=0}"),
                               all_schemas())
                         .value();
  const auto out =
      evaluate(model, {{"p0", rows(1)}, {"p1", HostTensor::make(ElementType::kI32, {1})}, {"p2", rows(3)}});
  ASSERT_FALSE(out.ok());
  EXPECT_NE(out.error().message().find("SetRows 'y'"), std::string::npos) << out.error().message();
}

TEST(Catalogue, IsSortedAndWhole) {
  const auto ops = all_ops();
  ASSERT_EQ(ops.size(), all_schemas().size());
  for (size_t i = 0; i < ops.size(); ++i) {
    const ir::OpSchema& schema = ops[i]->schema;
    if (i > 0) {
      EXPECT_LT(ops[i - 1]->schema.name, schema.name);
    }
    EXPECT_EQ(find_op(schema.name), ops[i]);
    EXPECT_NE(schema.make_attributes, nullptr) << schema.name;
    EXPECT_NE(schema.infer, nullptr) << schema.name;
    const std::set<std::string_view> never_run = {"Assign",    "Constant", "Parameter",
                                                  "ReadValue", "Result",   "SetRows"};
    EXPECT_EQ(ops[i]->reference == nullptr, never_run.contains(schema.name)) << schema.name;
  }
  EXPECT_EQ(find_op("NoSuchOp"), nullptr);
}

}  // namespace
}  // namespace tenon::op
