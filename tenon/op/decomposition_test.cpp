// Every decomposition gives its op's types and roles, a graph that verifies, and its reference's numbers.
#include <random>

#include "tenon/op/one_node.h"
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

HostTensor random_floats(ElementType element, const std::vector<int64_t>& extents, uint32_t seed) {
  HostTensor out = HostTensor::make(element, extents);
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> values(-2, 2);
  std::vector<double> drawn(static_cast<size_t>(out.element_count()));
  for (double& value : drawn) value = values(engine);
  return HostTensor::of(element, extents, drawn);
}

// Puts the decomposition of node %y in its place.
void decompose(ir::Model& model) {
  ir::Node& node = *model.find("y");
  const auto made = find_op(node.op())->decomposition(model, node);
  ASSERT_TRUE(made.ok()) << made.error().message();
  ASSERT_EQ(made->size(), static_cast<size_t>(node.port_count()));
  for (int port = 0; port < node.port_count(); ++port) {
    EXPECT_EQ((*made)[static_cast<size_t>(port)].type().to_string(), node.port_type(port).to_string());
    ASSERT_TRUE(model.replace_uses(node.output(port), (*made)[static_cast<size_t>(port)]).ok());
  }
  model.erase(node);
}

void expect_equal(const std::vector<std::string>& parameters, const std::string& body,
                  const HostTensors& inputs, double tolerance) {
  SCOPED_TRACE(body);
  const std::string text = with_parameters(parameters, body + "\n  %out = Result(%y:0) {name=\"y\"}");
  auto model = ir::parse(text, all_schemas());
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto wanted = evaluate(*model, inputs);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message();

  decompose(*model);
  const Status verified = ir::verify(*model, ir::Stage::kConverted);
  ASSERT_TRUE(verified.ok()) << verified.error().message();
  EXPECT_EQ(ir::print(*model).find("unknown"), std::string::npos) << ir::print(*model);
  const auto found = evaluate(*model, inputs);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->at("y").extents, wanted->at("y").extents);
  expect_close(found->at("y").values(), wanted->at("y").values(), [=](size_t, double) { return tolerance; });
}

constexpr double kF32Rounding = 1e-5;  // a dozen roundings of values of about 10
constexpr double kF16Rounding = 4e-3;  // one rounding to f16 of values below 8

TEST(Decomposition, RmsNormWithWeight) {
  expect_equal({"f32[1,T:token,6:channel]", "f32[6]"}, "%y = RMSNorm(%p0:0, %p1:0) {epsilon=0.01}",
               {{"p0", random_floats(ElementType::kF32, {1, 5, 6}, 1)},
                {"p1", random_floats(ElementType::kF32, {6}, 2)}},
               kF32Rounding);
}

TEST(Decomposition, ActivationsInF16) {
  for (const std::string op :
       {"Swish(%p0:0)", "Gelu(%p0:0)", "Gelu(%p0:0) {mode=erf}", "Gelu(%p0:0) {mode=quick}"}) {
    expect_equal({"f16[T:token,7:channel]"}, "%y = " + op,
                 {{"p0", random_floats(ElementType::kF16, {5, 7}, 3)}}, kF16Rounding);
  }
  for (const std::string op : {"GeGLU", "SwiGLU"}) {
    expect_equal({"f16[T:token,7:channel]", "f16[T:token,7:channel]"}, "%y = " + op + "(%p0:0, %p1:0)",
                 {{"p0", random_floats(ElementType::kF16, {5, 7}, 4)},
                  {"p1", random_floats(ElementType::kF16, {5, 7}, 5)}},
                 kF16Rounding);
  }
}

// Positions of every accepted form; f16; a rest that is copied; YaRN with factors.
TEST(Decomposition, RopeInAllForms) {
  const HostTensor x = random_floats(ElementType::kF32, {2, 3, 5, 8}, 6);
  const std::string type = "f32[2:batch,T:token,5:head,8:head_size]";
  const auto positions = [](const std::vector<int64_t>& extents) {
    return extents.back() == 3 && extents.size() < 3
               ? HostTensor::of(ElementType::kI32, extents, {4, 0, 11})
               : HostTensor::of(ElementType::kI32, extents, {4, 0, 11, 7, 8, 9});
  };
  for (const std::string mode : {"normal", "neox"}) {
    const std::string rope = "%y = Rope(%p0:0, %p1:0) {mode=" + mode + ", n_rot=6, freq_base=100}";
    expect_equal({type, "i32[T:token]"}, rope, {{"p0", x}, {"p1", positions({3})}}, kF32Rounding);
    expect_equal({type, "i32[1,T:token]"}, rope, {{"p0", x}, {"p1", positions({1, 3})}}, kF32Rounding);
    expect_equal({type, "i32[2:batch,1,1,T:token]"}, rope, {{"p0", x}, {"p1", positions({2, 1, 1, 3})}},
                 kF32Rounding);
    expect_equal({type, "i32[2*T:token]"}, rope, {{"p0", x}, {"p1", positions({6})}}, kF32Rounding);
    expect_equal({"f16[1,T:token,3:head,8:head_size]", "i32[1,1,1,T:token]", "f32[4]"},
                 "%y = Rope(%p0:0, %p1:0, %p2:0) {mode=" + mode +
                     ", n_rot=8, freq_scale=0.25, ext_factor=1.0, original_context=64}",
                 {{"p0", random_floats(ElementType::kF16, {1, 6, 3, 8}, 7)},
                  {"p1", positions({1, 1, 1, 6})},
                  {"p2", HostTensor::of(ElementType::kF32, {4}, {1, 1.5, 2, 8})}},
                 kF16Rounding);
  }
}

// Every pair by its own component of the position.
TEST(Decomposition, InterleavedRope) {
  expect_equal(
      {"f32[1,T:token,3:head,12:head_size]", "i32[1,1,1,4*T:token]"},
      "%y = Rope(%p0:0, %p1:0) {mode=imrope, n_rot=10, freq_base=100, sections=[2,1,1,1]}",
      {{"p0", random_floats(ElementType::kF32, {1, 3, 3, 12}, 16)},
       {"p1", HostTensor::of(ElementType::kI32, {1, 1, 1, 12}, {4, 0, 11, 1, 2, 3, 5, 6, 7, 9, 8, 10})}},
      kF32Rounding);
}

// [T,1,…], the form of paged attention: every token a batch of its own.
TEST(Decomposition, RopeOfTokensOnTheFirstAxis) {
  expect_equal({"f32[T:token,1,3:head,8:head_size]", "i32[T:token,1,1,1]"},
               "%y = Rope(%p0:0, %p1:0) {n_rot=8}",
               {{"p0", random_floats(ElementType::kF32, {5, 1, 3, 8}, 8)},
                {"p1", HostTensor::of(ElementType::kI32, {5, 1, 1, 1}, {9, 3, 4, 0, 70})}},
               kF32Rounding);
}

// B 2, H 6, G 3, T 5, KV 7, D 8, Dv 4. Positions differ by sequence; the dense mask says the same.
TEST(Decomposition, AttentionOfGroupedHeads) {
  constexpr int64_t kTokens = 5, kKeys = 7;
  const std::vector<double> positions = {2, 3, 4, 5, 6, 0, 1, 2, 3, 4};
  for (const int64_t window : {0, 3}) {
    std::vector<double> mask;
    for (const double position : positions) {
      for (int64_t key = 0; key < kKeys; ++key) {
        const double ahead = position - static_cast<double>(key);
        const bool seen = ahead >= 0 && (window == 0 || ahead < static_cast<double>(window));
        mask.push_back(seen ? 0 : -INFINITY);
      }
    }
    const HostTensors inputs = {{"p0", random_floats(ElementType::kF16, {2, 6, kTokens, 8}, 10)},
                                {"p1", random_floats(ElementType::kF16, {2, 3, kKeys, 8}, 11)},
                                {"p2", random_floats(ElementType::kF16, {2, 3, kKeys, 4}, 12)},
                                {"p3", HostTensor::of(ElementType::kF16, {2, 1, kTokens, kKeys}, mask)},
                                {"p4", HostTensor::of(ElementType::kI32, {2, 1, 1, kTokens}, positions)}};
    const std::string kind = window == 0 ? "causal" : "window, window=3";
    expect_equal({"f16[2:batch,6:head,T:token,8:head_size]", "f16[2:batch,3:head,KV:position,8:head_size]",
                  "f16[2:batch,3:head,KV:position,4:head_size]", "f16[2:batch,1,T:token,KV:position]",
                  "i32[2:batch,1,1,T:token]"},
                 "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0, %p4:0) {scale=0.3, mask=" + kind + "}", inputs,
                 kF32Rounding);
  }
}

TEST(Decomposition, AttentionWithSinks) {
  const std::vector<double> mask = {0, 0, 0, -INFINITY, 0, 0, 0, 0};
  expect_equal({"f32[1,6:head,T:token,8:head_size]", "f32[1,3:head,KV:position,8:head_size]",
                "f32[1,3:head,KV:position,4:head_size]", "f32[1,1,T:token,KV:position]", "i32[1,1,1,T:token]",
                "f32[6:head]"},
               "%y = Attention(%p0:0, %p1:0, %p2:0, %p3:0, %p4:0, %p5:0) {scale=0.3, mask=causal}",
               {{"p0", random_floats(ElementType::kF32, {1, 6, 2, 8}, 16)},
                {"p1", random_floats(ElementType::kF32, {1, 3, 4, 8}, 17)},
                {"p2", random_floats(ElementType::kF32, {1, 3, 4, 4}, 18)},
                {"p3", HostTensor::of(ElementType::kF32, {1, 1, 2, 4}, mask)},
                {"p4", HostTensor::of(ElementType::kI32, {1, 1, 1, 2}, {2, 3})},
                {"p5", random_floats(ElementType::kF32, {6}, 19)}},
               kF32Rounding);
}

TEST(Decomposition, ProductsOfExperts) {
  expect_equal({"f32[1,T:token,1,8:channel]", "f16[5:expert,6:channel,8:channel]", "i32[1,T:token,3:expert]"},
               "%y = MatMulExperts(%p0:0, %p1:0, %p2:0)",
               {{"p0", random_floats(ElementType::kF32, {1, 4, 1, 8}, 20)},
                {"p1", random_floats(ElementType::kF16, {5, 6, 8}, 21)},
                {"p2", HostTensor::of(ElementType::kI32, {1, 4, 3}, {0, 3, 1, 4, 2, 0, 1, 2, 3, 2, 4, 1})}},
               kF32Rounding);
}

TEST(Decomposition, AttentionWithoutMask) {
  expect_equal({"f32[1,3:head,T:token,8:head_size]", "f32[1,3:head,KV:position,8:head_size]",
                "f32[1,3:head,KV:position,4:head_size]"},
               "%y = Attention(%p0:0, %p1:0, %p2:0) {scale=0.3, mask=bidirectional}",
               {{"p0", random_floats(ElementType::kF32, {1, 3, 5, 8}, 13)},
                {"p1", random_floats(ElementType::kF32, {1, 3, 7, 8}, 14)},
                {"p2", random_floats(ElementType::kF32, {1, 3, 7, 4}, 15)}},
               kF32Rounding);
}

}  // namespace
}  // namespace tenon::op
