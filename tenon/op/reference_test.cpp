// References that real ggml has no capture for: moving elements, and errors that only the data shows.
#include "tenon/op/attention.h"
#include "tenon/op/broadcast.h"
#include "tenon/op/concat.h"
#include "tenon/op/convert.h"
#include "tenon/op/gather.h"
#include "tenon/op/matmul.h"
#include "tenon/op/one_node.h"
#include "tenon/op/reduce_mean.h"
#include "tenon/op/scatter_update.h"
#include "tenon/op/shape_of.h"
#include "tenon/op/softmax.h"
#include "tenon/op/text_support.h"
#include "tenon/op/topk.h"

namespace tenon::op {
namespace {

using Values = std::vector<double>;

HostTensor counted(ElementType element, const std::vector<int64_t>& extents) {
  HostTensor out = HostTensor::make(element, extents);
  Values values(static_cast<size_t>(out.element_count()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return HostTensor::of(element, extents, values);
}

template <class A, class F>
std::unique_ptr<A> with(F set) {
  auto out = std::make_unique<A>();
  set(*out);
  return out;
}

Values run_text(const std::vector<std::string>& parameters, const std::string& body,
                const HostTensors& inputs) {
  const std::string text = with_parameters(parameters, body + "\n  %out = Result(%y:0) {name=\"y\"}");
  return evaluate(ir::parse(text, all_schemas()).value(), inputs).value().at("y").values();
}

TEST(Reference, ConcatOfDifferentLengths) {
  auto attributes = with<ConcatAttributes>([](auto& a) { a.axis = 1; });
  OneNode graph(concat_op(), {counted(ElementType::kI32, {2, 1, 2}), counted(ElementType::kI32, {2, 2, 2})},
                std::move(attributes));
  EXPECT_EQ(graph.run().values(), (Values{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7}));
}

TEST(Reference, SplitPortsFollowEachOther) {
  const std::string text = with_parameters({"i32[2,5]"},
                                           "  %l = Constant() {type=i64[3], values=[1,-1,2]}\n"
                                           "  %y = VariadicSplit(%p0:0, %l:0) {axis=1}\n"
                                           "  %a = Result(%y:0) {name=\"a\"}\n"
                                           "  %b = Result(%y:1) {name=\"b\"}\n"
                                           "  %c = Result(%y:2) {name=\"c\"}\n");
  const auto out =
      evaluate(ir::parse(text, all_schemas()).value(), {{"p0", counted(ElementType::kI32, {2, 5})}}).value();
  EXPECT_EQ(out.at("a").values(), (Values{0, 5}));
  EXPECT_EQ(out.at("b").values(), (Values{1, 2, 6, 7}));
  EXPECT_EQ(out.at("c").values(), (Values{3, 4, 8, 9}));
}

TEST(Reference, TransposeOfThreeAxes) {
  EXPECT_EQ(run_text({"i64[2,1,3]"},
                     "  %o = Constant() {type=i32[3], values=[2,0,1]}\n  %y = Transpose(%p0:0, %o:0)",
                     {{"p0", counted(ElementType::kI64, {2, 1, 3})}}),
            (Values{0, 3, 1, 4, 2, 5}));
}

TEST(Reference, BroadcastRepeatsInnerAxes) {
  auto attributes = with<BroadcastAttributes>([](auto& a) { a.target = {1, 2, 1}; });
  OneNode graph(broadcast_op(), {counted(ElementType::kI32, {2, 1, 3})}, std::move(attributes));
  EXPECT_EQ(graph.run().values(), (Values{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
}

TEST(Reference, ReduceMeanOverOuterAndInnerAxes) {
  const HostTensor x = counted(ElementType::kF32, {2, 3, 2});
  const auto mean = [&](std::vector<int64_t> axes) {
    auto attributes = with<ReductionAttributes>([&](auto& a) { a.axes = std::move(axes); });
    return OneNode(reduce_mean_op(), {x}, std::move(attributes)).run().values();
  };
  EXPECT_EQ(mean({0, -1}), (Values{3.5, 5.5, 7.5}));
  EXPECT_EQ(mean({1}), (Values{2, 3, 8, 9}));
}

TEST(Reference, SoftmaxOverAnOuterAxis) {
  auto attributes = with<SoftmaxAttributes>([](auto& a) { a.axis = 0; });
  const double log2 = std::log(2.0f);
  OneNode graph(softmax_op(), {HostTensor::of(ElementType::kF32, {3, 2}, {0, 1000, log2, 1000, 0, 1000})},
                std::move(attributes));
  const Values wanted = {0.25, 1.0 / 3, 0.5, 1.0 / 3, 0.25, 1.0 / 3};
  expect_close(graph.run().values(), wanted, [](size_t, double) { return 1e-7; });
}

TEST(Reference, MatMulOfAPlainMatrixAndABatch) {
  OneNode graph(matmul_op(), {counted(ElementType::kF32, {1, 2, 3}), counted(ElementType::kF16, {2, 3, 1})},
                nullptr);
  EXPECT_EQ(graph.run().values(), (Values{5, 14, 14, 50}));
}

TEST(Reference, GatherOnAnInnerAxisAndByBatch) {
  const HostTensor data = counted(ElementType::kI32, {2, 3, 2});
  const HostTensor indices = HostTensor::of(ElementType::kI64, {2, 2}, {2, 0, 1, 1});
  const auto gather = [&](int64_t batch_dims) {
    auto attributes = with<GatherAttributes>([&](auto& a) { a.axis = 1, a.batch_dims = batch_dims; });
    return OneNode(gather_op(), {data, indices}, std::move(attributes)).run().values();
  };
  EXPECT_EQ(gather(1), (Values{4, 5, 0, 1, 8, 9, 8, 9}));
  EXPECT_EQ(gather(0), (Values{4, 5, 0, 1, 2, 3, 2, 3, 10, 11, 6, 7, 8, 9, 8, 9}));
}

TEST(Reference, ScatterUpdateOnTheTokenAxis) {
  const HostTensor cache = HostTensor::make(ElementType::kF16, {2, 4, 1, 2});
  HostTensor rows = counted(ElementType::kF16, {2, 3, 1, 2});
  const HostTensor index = HostTensor::of(ElementType::kI64, {1, 1, 1, 3}, {3, 0, 3});
  auto attributes = with<ScatterUpdateAttributes>([](auto& a) { a.axis = 1; });
  OneNode graph(scatter_update_op(), {cache, index, rows}, std::move(attributes));
  EXPECT_EQ(graph.run().values(), (Values{2, 3, 0, 0, 0, 0, 4, 5, 8, 9, 0, 0, 0, 0, 10, 11}));
}

TEST(Reference, ConvertTruncatesAndSaturates) {
  const auto convert = [](const HostTensor& x, ElementType to) {
    return OneNode(convert_op(), {x}, with<ConvertAttributes>([&](auto& a) { a.to = to; })).run().values();
  };
  const auto x = HostTensor::of(ElementType::kF32, {5}, {-1.9, 1.9, NAN, 1e30, -300});
  EXPECT_EQ(convert(x, ElementType::kI32), (Values{-1, 1, 0, 2147483647, -300}));
  EXPECT_EQ(convert(x, ElementType::kU8), (Values{0, 1, 0, 255, 0}));
  EXPECT_EQ(convert(HostTensor::of(ElementType::kI64, {2}, {70000, -5}), ElementType::kI16),
            (Values{32767, -5}));
  EXPECT_EQ(convert(HostTensor::of(ElementType::kI32, {2}, {7, -5}), ElementType::kF16), (Values{7, -5}));
}

TEST(Reference, TopKPutsNaNLastAndTiesInOrder) {
  const HostTensor data = HostTensor::of(ElementType::kF32, {1, 5}, {2, NAN, 5, 2, 5});
  const auto ids = [&](TopKMode mode) {
    auto attributes = with<TopKAttributes>([&](auto& a) { a.mode = mode, a.index_type = ElementType::kI64; });
    OneNode graph(topk_op(), {data, HostTensor::of(ElementType::kI32, {}, {5})}, std::move(attributes));
    return graph.run("1").values();
  };
  EXPECT_EQ(ids(TopKMode::kMax), (Values{2, 4, 0, 3, 1}));
  EXPECT_EQ(ids(TopKMode::kMin), (Values{0, 3, 2, 4, 1}));
}

// A query that sees nothing gives zeros, and rows that nobody sees may hold anything.
TEST(Reference, AttentionReadsOnlyWhatIsSeen) {
  const HostTensor q = counted(ElementType::kF32, {1, 2, 3, 2});
  HostTensor k = counted(ElementType::kF32, {1, 1, 4, 2}), v = counted(ElementType::kF32, {1, 1, 4, 2});
  for (HostTensor* tensor : {&k, &v}) {
    Values values = tensor->values();
    values[6] = values[7] = NAN;
    *tensor = HostTensor::of(ElementType::kF32, {1, 1, 4, 2}, values);
  }
  const HostTensor mask = HostTensor::make(ElementType::kF32, {1, 1, 3, 4});
  const HostTensor positions = HostTensor::of(ElementType::kI32, {3}, {-1, 0, 2});
  auto attributes = with<AttentionAttributes>([](auto& a) { a.mask = ir::MaskKind::kCausal; });
  const Values out =
      OneNode(attention_op(), {q, k, v, mask, positions}, std::move(attributes)).run().values();
  EXPECT_EQ(Values(out.begin(), out.begin() + 8), (Values{0, 0, 0, 0, 0, 1, 0, 1}));
  for (size_t i = 8; i < out.size(); ++i) EXPECT_TRUE(out[i] > 3 && out[i] <= 5) << out[i];
}

void expect_run_error(const OneNode& graph, const std::vector<std::string>& parts) {
  const auto out = evaluate(graph.model, graph.inputs);
  ASSERT_FALSE(out.ok());
  for (const std::string& part : parts) {
    EXPECT_NE(out.error().message().find(part), std::string::npos) << out.error().message();
  }
}

TEST(Reference, IndicesOutOfRangeAreErrors) {
  const HostTensor data = counted(ElementType::kF32, {3, 2});
  const HostTensor rows = counted(ElementType::kF32, {1, 2});
  for (const double index : {-1.0, 3.0}) {
    const HostTensor indices = HostTensor::of(ElementType::kI32, {1}, {index});
    const std::string found = std::to_string(static_cast<int>(index));
    expect_run_error(OneNode(gather_op(), {data, indices}, nullptr), {"Gather 'Gather'", "[0, 3)", found});
    expect_run_error(OneNode(scatter_update_op(), {data, indices, rows}, nullptr),
                     {"ScatterUpdate", "[0, 3)", found});
  }
  expect_run_error(OneNode(topk_op(), {data, HostTensor::of(ElementType::kI64, {}, {4})}, nullptr),
                   {"TopK", "k in [0, 2]", "k = 4"});
}

TEST(Helpers, GetDimensionsMeasuresThePortThatIsGiven) {
  const std::string text = with_parameters({"f32[T,5]"},
                                           "  %l = Constant() {type=i64[2], values=[2,3]}\n"
                                           "  %split = VariadicSplit(%p0:0, %l:0) {axis=1}");
  auto model = ir::parse(text, all_schemas()).value();
  for (const int port : {0, 1}) {
    const ir::Value value = model.find("split")->output(port);
    const ir::Value dims = get_dimensions(model, value, {-1, 0}).value();
    EXPECT_EQ(dims.node().input(0).node().input(0), value);
    model.add_result(dims, std::to_string(port));
  }
  const auto out = evaluate(model, {{"p0", counted(ElementType::kF32, {4, 5})}}).value();
  EXPECT_EQ(out.at("0").values(), (Values{2, 4}));
  EXPECT_EQ(out.at("1").values(), (Values{3, 4}));
  EXPECT_FALSE(get_dimensions(model, model.find("split")->output(0), {2}).ok());
}

TEST(Helpers, MakeTopKIndicesGivesPortOne) {
  const std::string text = with_parameters({"f32[T,5]"}, "  %k = Constant() {type=i64[], values=[2]}");
  auto model = ir::parse(text, all_schemas()).value();
  const ir::Value ids = make_topk_indices(model, model.find("p0")->output(0), model.find("k")->output(0), 1,
                                          TopKMode::kMin, ElementType::kI64, true, "ids")
                            .value();
  EXPECT_EQ(ids.port(), 1);
  EXPECT_EQ(ids.type().to_string(), "i64[T,2]");
}

}  // namespace
}  // namespace tenon::op
