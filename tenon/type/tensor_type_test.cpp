#include "tenon/type/tensor_type.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tenon/type/tensor_ref.h"

namespace tenon {
namespace {

const Dim T = Dim::symbol("T");

TensorType query() {
  return {ElementType::kF32,
          {{1, AxisRole::kBatch}, {T, AxisRole::kToken}, {8, AxisRole::kHead}, {64, AxisRole::kHeadSize}}};
}

TEST(TensorType, TextGoesBothWays) {
  EXPECT_EQ(query().to_string(), "f32[1:batch,T:token,8:head,64:head_size]");
  for (const char* text : {"f32[1:batch,T:token,8:head,64:head_size]", "q4_k[576,1536:channel]", "i64[]",
                           "bool[P+T,4*T]", "f16[2:expert,3:position,5:unknown]"}) {
    const Result<TensorType> type = TensorType::parse(text);
    ASSERT_TRUE(type.ok()) << type.error().message();
    EXPECT_EQ(type->to_string(), text);
  }
  EXPECT_EQ(*TensorType::parse("f32[1:batch,T:token,8:head,64:head_size]"), query());
}

TEST(TensorType, ParseNamesTheTextThatItCannotRead) {
  for (const char* text :
       {"", "f32", "[2]", "f31[2]", "f32[2", "f32[2]]", "f32[2,]", "f32[,2]", "f32[2:]", "f32[2:row]"}) {
    const Result<TensorType> type = TensorType::parse(text);
    ASSERT_FALSE(type.ok()) << text;
    EXPECT_EQ(type.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_EQ(TensorType::parse("f31[2]").error().message(),
            "tensor type 'f31[2]': wanted a known element type");
}

TEST(TensorType, AxesCountFromEitherEnd) {
  const TensorType type = query();
  EXPECT_EQ(type.rank(), 4);
  EXPECT_EQ(type.dim(1), T);
  EXPECT_EQ(type.dim(-1), Dim(64));
  EXPECT_EQ(type.role(-2), AxisRole::kHead);
  EXPECT_THROW((void)type.dim(4), std::out_of_range);
  EXPECT_THROW((void)type.dim(-5), std::out_of_range);
  EXPECT_EQ(type.dims(), (std::vector<Dim>{1, T, 8, 64}));
  EXPECT_EQ(type.element_count(), T * 512);
}

TEST(TensorType, FindsTheOnlyAxisOfARole) {
  EXPECT_EQ(query().axis_of(AxisRole::kToken), 1);
  EXPECT_FALSE(query().axis_of(AxisRole::kExpert));
  EXPECT_FALSE((TensorType{ElementType::kF32, {{T, AxisRole::kToken}, {T, AxisRole::kToken}}}.axis_of(
      AxisRole::kToken)));
}

TEST(TensorType, RolesAreAPartOfTheType) {
  TensorType other = query();
  other.axes[1].role = AxisRole::kPosition;
  EXPECT_FALSE(other == query());
  EXPECT_EQ((TensorType{ElementType::kI8, plain({2, T})}.to_string()), "i8[2,T]");
}

TEST(AxisRole, NamesGoBothWays) {
  for (int i = 0; i <= static_cast<int>(AxisRole::kUnknown); ++i) {
    const auto role = static_cast<AxisRole>(i);
    EXPECT_EQ(axis_role_from_name(name(role)), role);
  }
  EXPECT_FALSE(axis_role_from_name("row"));
}

TEST(TensorRef, ContiguousStridesCountBytesAndBlocks) {
  TensorRef tensor;
  tensor.element = ElementType::kF32;
  tensor.rank = 3;
  tensor.extent = {2, 3, 5};
  set_contiguous_strides(tensor);
  EXPECT_EQ(tensor.stride[0], 60);
  EXPECT_EQ(tensor.stride[1], 20);
  EXPECT_EQ(tensor.stride[2], 4);
  EXPECT_EQ(tensor.element_count(), 30);
  EXPECT_TRUE(is_contiguous(tensor));
  std::swap(tensor.stride[0], tensor.stride[1]);
  EXPECT_FALSE(is_contiguous(tensor));

  tensor.element = ElementType::kQ8_0;
  tensor.extent = {2, 3, 64};
  set_contiguous_strides(tensor);
  EXPECT_EQ(tensor.stride[2], 34);
  EXPECT_EQ(tensor.stride[1], 68);
  EXPECT_EQ(tensor.stride[0], 204);
}

}  // namespace
}  // namespace tenon
