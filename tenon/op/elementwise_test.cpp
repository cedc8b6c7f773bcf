#include "tenon/op/elementwise.h"

#include "tenon/op/one_node.h"
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

TEST(Elementwise, BroadcastsExtentsAndJoinsRoles) {
  expect_types({"f32[1,1,T:token,6:channel]", "f32[6]"},
               "%y = Add(%p0:0, %p1:0) : f32[1,1,T:token,6:channel]");
  expect_types({"f32[6]", "f32[1,1,T:token,6:channel]"},
               "%y = Multiply(%p0:0, %p1:0) : f32[1,1,T:token,6:channel]");
  expect_types({"f32[T:token,1]", "f32[1,KV:position]"},
               "%y = Subtract(%p0:0, %p1:0) : f32[T:token,KV:position]");
  expect_types({"f16[2:batch,3]", "f16[2,3:unknown]"}, "%y = Divide(%p0:0, %p1:0) : f16[2:batch,3:unknown]");
  expect_types({"f32[5:head]", "f32[5:channel]"}, "%y = Add(%p0:0, %p1:0) : f32[5:unknown]");
  expect_types({"i64[T:token]", "i64[]"}, "%y = Add(%p0:0, %p1:0) : i64[T:token]");
  expect_types({"f32[2*T:token,3]"}, "%y = Sigmoid(%p0:0) : f32[2*T:token,3]");
}

TEST(Elementwise, RefusesWhatCannotBroadcast) {
  expect_error({"f32[T,6]", "f32[T,5]"}, "%y = Add(%p0:0, %p1:0)", {"Add", "[T,6] and [T,5]"});
  expect_error({"f32[T]", "f32[KV]"}, "%y = Multiply(%p0:0, %p1:0)", {"Multiply", "[T] and [KV]"});
  expect_error({"f32[3]", "f16[3]"}, "%y = Add(%p0:0, %p1:0)", {"one element type", "f32[3] and f16[3]"});
  expect_error({"q8_0[3,32]", "q8_0[3,32]"}, "%y = Add(%p0:0, %p1:0)", {"plain", "q8_0[3,32]"});
  expect_error({"i32[3]", "i32[3]"}, "%y = Divide(%p0:0, %p1:0)", {"float", "i32[3]"});
  expect_error({"i32[3]"}, "%y = Cos(%p0:0)", {"float", "i32[3]"});
  expect_error({"f32[3]", "f32[1]"}, "%y = SwiGLU(%p0:0, %p1:0)", {"one shape", "f32[1]"});
}

TEST(Elementwise, IntegersWrap) {
  const auto a = HostTensor::of(ElementType::kI32, {2}, {2147483647, -7});
  const auto b = HostTensor::of(ElementType::kI32, {2}, {1, 3});
  EXPECT_EQ(OneNode(add_op(), {a, b}, nullptr).run().values(), (std::vector<double>{-2147483648.0, -4}));
  EXPECT_EQ(OneNode(multiply_op(), {a, b}, nullptr).run().values(), (std::vector<double>{2147483647, -21}));
  EXPECT_EQ(OneNode(subtract_op(), {a, b}, nullptr).run().values(), (std::vector<double>{2147483646, -10}));
}

TEST(Elementwise, RoundsToTheOutputType) {
  const auto a = HostTensor::of(ElementType::kF16, {2, 1}, {1, 3});
  const auto b = HostTensor::of(ElementType::kF16, {1, 2}, {3, 0x1p-11});
  EXPECT_EQ(OneNode(divide_op(), {a, b}, nullptr).run().values(),
            (std::vector<double>{0x1.554p-2, 2048, 1, 6144}));  // 1/3 in f16
  EXPECT_EQ(OneNode(add_op(), {a, b}, nullptr).run().values(), (std::vector<double>{4, 1, 6, 3}));
  const auto x = HostTensor::of(ElementType::kF32, {3}, {0, 1.5, 9});
  EXPECT_EQ(OneNode(sqrt_op(), {x}, nullptr).run().values(), (std::vector<double>{0, std::sqrt(1.5f), 3}));
}

}  // namespace
}  // namespace tenon::op
