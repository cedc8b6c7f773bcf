#include "tenon/op/reshape.h"

#include "tenon/op/one_node.h"
#include "tenon/op/text_support.h"

namespace tenon::op {
namespace {

TEST(Reshape, SplitsAndMergesHeadsInBothPhysicalForms) {
  const std::string split = "%y = Reshape(%p0:0) {target=[0,-1,3,4], special_zero=true} : ";
  expect_types({"f32[1,1,T:token,12:channel]"}, split + "f32[1,T:token,3:head,4:head_size]");
  expect_types({"f32[T:token,1,1,12:channel]"}, split + "f32[T:token,1,3:head,4:head_size]");
  const std::string merge = "%y = Reshape(%p0:0) {target=[0,1,-1,12], special_zero=true} : ";
  expect_types({"f32[1,T:token,3:head,4:head_size]"}, merge + "f32[1,1,T:token,12:channel]");
  expect_types({"f32[T:token,1,3:head,4:head_size]"}, merge + "f32[T:token,1,1,12:channel]");
}

TEST(Reshape, CopiedAxesKeepTheirRoles) {
  expect_types({"f32[1:batch,T:token,3:head,4:head_size]"},
               "%y = Reshape(%p0:0) {target=[0,0,-1], special_zero=true} : f32[1:batch,T:token,12:channel]");
  expect_types({"f16[2:batch,P+T:position,6:channel]"},
               "%y = Reshape(%p0:0) {target=[0,0,2,-1], special_zero=true} : "
               "f16[2:batch,P+T:position,2:head,3:head_size]");
}

TEST(Reshape, RolesOfOtherGroups) {
  expect_types({"f32[B:batch,T:token,6:channel]"},
               "%y = Reshape(%p0:0) {target=[-1,6]} : f32[B*T:token,6:channel]");
  expect_types({"i32[1,1,1,3*T:token]"}, "%y = Reshape(%p0:0) {target=[3,-1]} : i32[3:batch,T:token]");
  expect_types({"f32[T:token,2:head,5,4:head_size]"},
               "%y = Reshape(%p0:0) {target=[T,10,4]} : f32[T:token,10:head,4:head_size]");
  expect_types({"f32[T:token,3:head,8:head_size]"},
               "%y = Reshape(%p0:0) {target=[T,3,4,2]} : f32[T:token,3:head,4:head_size,2:head_size]");
  expect_types({"f32[T:token,12:channel]"},
               "%y = Reshape(%p0:0) {target=[T,2,3,2]} : f32[T:token,2:unknown,3:unknown,2:unknown]");
  expect_types({"f32[T:token,4:channel]"}, "%y = Reshape(%p0:0) {target=[4,T]} : f32[4:unknown,T:unknown]");
  expect_types({"f32[6:head,4:head_size]"}, "%y = Reshape(%p0:0) {target=[8,3]} : f32[8:unknown,3:unknown]");
  expect_types({"i32[2,6]"}, "%y = Reshape(%p0:0) {target=[3,4]} : i32[3,4]");
  expect_types({"i32[1,1,1,T:token]"}, "%y = Reshape(%p0:0) {target=[T]} : i32[T:token]");
}

TEST(Reshape, Refuses) {
  expect_error({"f32[T,6]"}, "%y = Reshape(%p0:0) {target=[-1,4]}", {"Reshape", "6*T elements", "f32[T,6]"});
  expect_error({"f32[T,6]"}, "%y = Reshape(%p0:0) {target=[T,5]}", {"6*T", "5*T"});
  expect_error({"f32[T,6]"}, "%y = Reshape(%p0:0) {target=[-1,-1]}", {"one extent of -1"});
  expect_error({"f32[T,6]"}, "%y = Reshape(%p0:0) {target=[0,6,0], special_zero=true}",
               {"an axis 2 to copy"});
  expect_error({"f32[T,6]"}, "%y = Reshape(%p0:0) {target=[-2,-1]}", {"0 or more", "-2"});
  expect_error({"f32[64]"}, "%y = Reshape(%p0:0) {target=[2,2,2,2,2,2]}", {"at most 5 axes"});
  expect_error({"q8_0[2,32]"}, "%y = Reshape(%p0:0) {target=[64]}", {"plain"});
}

TEST(Reshape, KeepsTheOrderOfAStridedInput) {
  auto x = HostTensor::of(ElementType::kI32, {2, 3}, {0, 1, 2, 3, 4, 5});
  TensorRef transposed = x.ref();
  std::swap(transposed.extent[0], transposed.extent[1]);
  std::swap(transposed.stride[0], transposed.stride[1]);
  auto out = HostTensor::make(ElementType::kI32, {6});
  const std::vector<TensorRef> inputs = {transposed}, outputs = {out.ref()};
  ASSERT_TRUE(reshape_op().reference({*reshape_op().schema.make_attributes(), inputs, outputs}).ok());
  EXPECT_EQ(out.values(), (std::vector<double>{0, 3, 1, 4, 2, 5}));
}

}  // namespace
}  // namespace tenon::op
