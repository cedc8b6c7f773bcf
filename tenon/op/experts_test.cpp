// What mixtures of experts use, beside what whole graphs say: shape rules and roles, references against
// captures of real ggml, decompositions.
#include "tenon/op/clamp.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/matmul_experts.h"
#include "tenon/op/one_node.h"
#include "tenon/op/reduce_sum.h"
#include "tenon/op/swiglu_oai.h"
#include "tenon/op/text_support.h"
#include "tests/support/op_capture.h"

namespace tenon::op {
namespace {

// Contract E1's tolerance of what works element by element.
double exact_tolerance(size_t, double wanted) { return 1e-6 + 1e-5 * std::abs(wanted); }

double largest_row_norm(const HostTensor& x) {
  const std::vector<double> values = x.values();
  const auto width = static_cast<size_t>(x.extents.back());
  double largest = 0, sum = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum = (i % width == 0 ? 0 : sum) + values[i] * values[i];
    largest = std::max(largest, sum);
  }
  return std::sqrt(largest);
}

TEST(Experts, ProductsKeepTokensAndSlots) {
  expect_types(
      {"f32[1,T:token,1,64:channel]", "q4_0[8:expert,40:channel,64:channel]", "i32[1,T:token,3:expert]"},
      "%y = MatMulExperts(%p0:0, %p1:0, %p2:0) : f32[1,T:token,3:expert,40:channel]");
  expect_types({"f16[T:token,3:expert,6]", "f32[8,5,6]", "i64[T:token,3:expert]"},
               "%y = MatMulExperts(%p0:0, %p1:0, %p2:0) : f32[T:token,3:expert,5]");
}

TEST(Experts, ProductsRefuseWhatDoesNotFit) {
  const auto refuse = [](const std::string& x, const std::string& w, const std::string& ids,
                         const std::vector<std::string>& parts) {
    expect_error({x, w, ids}, "%y = MatMulExperts(%p0:0, %p1:0, %p2:0)", parts);
  };
  refuse("f32[T,1,6]", "f32[8,5,7]", "i32[T,3]", {"one extent K", "f32[8,5,7]"});
  refuse("f32[T,1,6]", "f32[5,6]", "i32[T,3]", {"rank 3", "f32[5,6]"});
  refuse("f32[T,1,6]", "i32[8,5,6]", "i32[T,3]", {"float", "i32[8,5,6]"});
  refuse("f32[T,2,6]", "f32[8,5,6]", "i32[T,3]", {"one row of x for each id", "i32[T,3]"});
  refuse("f32[T,1,6]", "f32[8,5,6]", "i32[R,3]", {"the same tokens", "i32[R,3]"});
  refuse("f32[T,1,6]", "f32[8,5,6]", "i32[1,T,3]", {"ids [.., T, U]", "i32[1,T,3]"});
  const HostTensor x = HostTensor::make(ElementType::kF32, {2, 1, 6}),
                   w = HostTensor::make(ElementType::kF32, {8, 5, 6});
  for (const double id : {-1.0, 8.0}) {
    const HostTensor ids = HostTensor::of(ElementType::kI32, {2, 1}, {3, id});
    const auto out =
        evaluate(OneNode(matmul_experts_op(), {x, w, ids}, nullptr).model, {{"0", x}, {"1", w}, {"2", ids}});
    ASSERT_FALSE(out.ok());
    EXPECT_NE(out.error().message().find("[0, 8)"), std::string::npos) << out.error().message();
  }
}

TEST(Experts, ProductsAreThoseOfGgml) {
  for (const std::string file : {"mul_mat_id", "mul_mat_id_types"}) {
    for (const test::OpCapture& c : test::op_captures(file)) {
      SCOPED_TRACE(file + " " + c.name());
      const HostTensor w = c.tensor("input.0", 3), x = c.tensor("input.1", 4), ids = c.tensor("input.2", 3);
      const double tolerance = 8 * 0x1p-24 * std::sqrt(static_cast<double>(x.extents.back())) *
                               largest_row_norm(w) * largest_row_norm(x);
      OneNode graph(matmul_experts_op(), {x, w, ids}, nullptr);
      expect_captured(graph, c.tensor(c.has_tensor("exact") ? "exact" : "output", 4),
                      [=](size_t, double) { return tolerance; });
    }
  }
}

TEST(Experts, ClampedUnitIsThatOfGgml) {
  expect_types({"f32[T:token,3:expert,6:channel]", "f32[T:token,3:expert,6:channel]"},
               "%y = SwiGLUOai(%p0:0, %p1:0) {limit=2.5} : f32[T:token,3:expert,6:channel]");
  expect_error({"f32[3]", "f32[1]"}, "%y = SwiGLUOai(%p0:0, %p1:0)", {"one shape", "f32[1]"});
  for (const test::OpCapture& c : test::op_captures("swiglu_oai")) {
    SCOPED_TRACE(c.name());
    auto attributes = std::make_unique<SwigluOaiAttributes>();
    attributes->alpha = c.number("alpha");
    attributes->limit = c.number("limit");
    OneNode graph(swiglu_oai_op(), {c.tensor("input.0", 4), c.tensor("input.1", 4)}, std::move(attributes));
    expect_captured(graph, c.tensor("output", 4), exact_tolerance);
  }
}

TEST(Experts, ClampsAreThoseOfGgml) {
  expect_types({"f16[T:token,6:channel]"}, "%y = Clamp(%p0:0) {min=-1.5} : f16[T:token,6:channel]");
  for (const test::OpCapture& c : test::op_captures("clamp")) {
    SCOPED_TRACE(c.name());
    auto attributes = std::make_unique<ClampAttributes>();
    attributes->min = c.number("min");
    attributes->max = c.number("max");
    OneNode graph(clamp_op(), {c.tensor("input.0", 4)}, std::move(attributes));
    EXPECT_EQ(graph.run().bytes, c.tensor("output", 4).bytes);
  }
}

TEST(Experts, SumsOfRowsAreThoseOfGgml) {
  expect_types({"f32[1,T:token,6:expert]"}, "%y = ReduceSum(%p0:0) {axes=[-1]} : f32[1,T:token,1]");
  for (const test::OpCapture& c : test::op_captures("sum_rows")) {
    const HostTensor x = c.tensor("input.0", 4);
    auto attributes = std::make_unique<ReductionAttributes>();
    attributes->axes = {-1};
    OneNode graph(reduce_sum_op(), {x}, std::move(attributes));
    const double tolerance = 8 * 0x1p-24 * static_cast<double>(x.extents.back()) * largest_row_norm(x);
    expect_captured(graph, c.tensor("output", 4), [=](size_t, double) { return tolerance; });
  }
}

TEST(Experts, QuotientsAndDifferencesAreThoseOfGgml) {
  for (const auto& [file, op] : {std::pair("div", &divide_op()), std::pair("sub", &subtract_op())}) {
    for (const test::OpCapture& c : test::op_captures(file)) {
      SCOPED_TRACE(std::string(file) + " " + c.name());
      OneNode graph(*op, {c.tensor("input.0", 4), c.tensor("input.1", 4)}, nullptr);
      expect_captured(graph, c.tensor("output", 4), exact_tolerance);
    }
  }
}

}  // namespace
}  // namespace tenon::op
