#include "tenon/type/element_type.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tenon {
namespace {

// Type ids, block lengths and block bytes as ggml 0.25 (ggml_blck_size, ggml_type_size) gives them.
TEST(ElementType, BlocksAreThoseOfGgml) {
  struct Row {
    std::string_view name;
    uint32_t ggml_id;
    int block_elements, block_bytes;
  };
  constexpr Row kGgml[] = {
      {"f32", 0, 1, 4},       {"f16", 1, 1, 2},         {"q4_0", 2, 32, 18},    {"q4_1", 3, 32, 20},
      {"q5_0", 6, 32, 22},    {"q5_1", 7, 32, 24},      {"q8_0", 8, 32, 34},    {"q2_k", 10, 256, 84},
      {"q3_k", 11, 256, 110}, {"q4_k", 12, 256, 144},   {"q5_k", 13, 256, 176}, {"q6_k", 14, 256, 210},
      {"iq4_nl", 20, 32, 18}, {"iq4_xs", 23, 256, 136}, {"i8", 24, 1, 1},       {"i16", 25, 1, 2},
      {"i32", 26, 1, 4},      {"i64", 27, 1, 8},        {"f64", 28, 1, 8},      {"bf16", 30, 1, 2},
      {"mxfp4", 39, 32, 17},  {"q2_0", 42, 64, 18},
  };
  for (const Row& row : kGgml) {
    const auto type = element_type_from_ggml(row.ggml_id);
    ASSERT_TRUE(type) << row.name;
    EXPECT_EQ(name(*type), row.name);
    EXPECT_EQ(info(*type).block_elements, row.block_elements) << row.name;
    EXPECT_EQ(info(*type).block_bytes, row.block_bytes) << row.name;
    EXPECT_EQ(element_type_from_name(row.name), type);
  }
}

TEST(ElementType, TheTableIsInTheOrderOfTheEnumAndWithoutDoubles) {
  std::set<std::string_view> names;
  std::set<uint32_t> ids;
  for (size_t i = 0; i < element_types().size(); ++i) {
    const ElementTypeInfo& entry = element_types()[i];
    EXPECT_EQ(static_cast<size_t>(entry.type), i);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    if (!entry.ggml_id) continue;
    EXPECT_TRUE(ids.insert(*entry.ggml_id).second) << entry.name;
  }
}

TEST(ElementType, UnknownNamesAndIdsHaveNoType) {
  EXPECT_FALSE(element_type_from_name("q4_2"));
  EXPECT_FALSE(element_type_from_ggml(4));
  EXPECT_FALSE(element_type_from_ggml(31));
  EXPECT_FALSE(element_type_from_ggml(UINT32_MAX));
}

TEST(ElementType, KindsAreDisjoint) {
  EXPECT_TRUE(is_float(ElementType::kBF16) && is_float(ElementType::kF64));
  EXPECT_TRUE(is_integer(ElementType::kI8) && is_integer(ElementType::kU8));
  EXPECT_FALSE(is_integer(ElementType::kBool) || is_float(ElementType::kBool));
  EXPECT_TRUE(is_block(ElementType::kQ4_0) && is_block(ElementType::kQ6_K));
  for (const ElementTypeInfo& entry : element_types()) {
    EXPECT_LE(is_float(entry.type) + is_integer(entry.type) + is_block(entry.type), 1) << entry.name;
  }
}

TEST(ElementType, BytesCountWholeBlocks) {
  EXPECT_EQ(bytes_for(ElementType::kF16, 7), 14u);
  EXPECT_EQ(bytes_for(ElementType::kQ4_0, 96), 54u);
  EXPECT_EQ(bytes_for(ElementType::kQ6_K, 512), 420u);
  EXPECT_EQ(bytes_for(ElementType::kQ6_K, 0), 0u);
  EXPECT_EQ(bytes_for(ElementType::kF32, int64_t{1} << 40), size_t{1} << 42);
}

}  // namespace
}  // namespace tenon
