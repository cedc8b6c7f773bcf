#include "tenon/cpu/rows_view.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace tenon::cpu {
namespace {

std::byte g_memory[1];

TensorRef tensor(ElementType element, std::initializer_list<int64_t> extents,
                 std::initializer_list<int64_t> strides) {
  TensorRef out;
  out.data = g_memory;
  out.element = element;
  out.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), out.extent.begin());
  std::copy(strides.begin(), strides.end(), out.stride.begin());
  return out;
}

// "rows x width, stride bytes apart", or "refused".
std::string describe(const TensorRef& tensor) {
  const Result<RowsView> view = rows_of(tensor);
  if (!view.ok()) return "refused";
  EXPECT_EQ(view->data, g_memory);
  return std::to_string(view->rows) + " x " + std::to_string(view->width) + ", " +
         std::to_string(view->stride) + " apart";
}

TEST(RowsView, LeadingAxesBecomeOne) {
  EXPECT_EQ(describe(tensor(ElementType::kF32, {2, 3, 8}, {96, 32, 4})), "6 x 8, 32 apart");
  EXPECT_EQ(describe(tensor(ElementType::kF32, {8}, {4})), "1 x 8, 32 apart");
  EXPECT_EQ(describe(tensor(ElementType::kF32, {}, {})), "1 x 1, 0 apart");
}

TEST(RowsView, RowsMayLieApartAtOneDistance) {
  EXPECT_EQ(describe(tensor(ElementType::kF32, {2, 3, 8}, {300, 100, 4})), "6 x 8, 100 apart");
  EXPECT_EQ(describe(tensor(ElementType::kF32, {2, 3, 8}, {400, 100, 4})), "refused");
}

TEST(RowsView, StridesOfOnesDoNotCount) {
  EXPECT_EQ(describe(tensor(ElementType::kF32, {1, 3, 1, 8}, {7, 32, 9, 4})), "3 x 8, 32 apart");
  EXPECT_EQ(describe(tensor(ElementType::kF32, {3, 1}, {20, 999})), "3 x 1, 20 apart");
}

TEST(RowsView, GapsInsideARowAreRefused) {
  EXPECT_EQ(describe(tensor(ElementType::kF32, {3, 8}, {64, 8})), "refused");
}

TEST(RowsView, RowsOfBlocksCountElements) {
  EXPECT_EQ(describe(tensor(ElementType::kQ8_0, {5, 64}, {68, 34})), "5 x 64, 68 apart");
  EXPECT_EQ(describe(tensor(ElementType::kQ8_0, {64}, {34})), "1 x 64, 68 apart");
}

}  // namespace
}  // namespace tenon::cpu
