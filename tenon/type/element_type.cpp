#include "tenon/type/element_type.h"

#include <cassert>

namespace tenon {

namespace {

constexpr ElementTypeInfo kTypes[] = {
    {ElementType::kF32, "f32", 1, 4, 0},          {ElementType::kF16, "f16", 1, 2, 1},
    {ElementType::kBF16, "bf16", 1, 2, 30},       {ElementType::kF64, "f64", 1, 8, 28},
    {ElementType::kI8, "i8", 1, 1, 24},           {ElementType::kI16, "i16", 1, 2, 25},
    {ElementType::kI32, "i32", 1, 4, 26},         {ElementType::kI64, "i64", 1, 8, 27},
    {ElementType::kU8, "u8", 1, 1, std::nullopt}, {ElementType::kBool, "bool", 1, 1, std::nullopt},
    {ElementType::kQ4_0, "q4_0", 32, 18, 2},      {ElementType::kQ4_1, "q4_1", 32, 20, 3},
    {ElementType::kQ5_0, "q5_0", 32, 22, 6},      {ElementType::kQ5_1, "q5_1", 32, 24, 7},
    {ElementType::kQ8_0, "q8_0", 32, 34, 8},      {ElementType::kQ2_0, "q2_0", 64, 18, 42},
    {ElementType::kMXFP4, "mxfp4", 32, 17, 39},   {ElementType::kIQ4_NL, "iq4_nl", 32, 18, 20},
    {ElementType::kQ2_K, "q2_k", 256, 84, 10},    {ElementType::kQ3_K, "q3_k", 256, 110, 11},
    {ElementType::kQ4_K, "q4_k", 256, 144, 12},   {ElementType::kQ5_K, "q5_k", 256, 176, 13},
    {ElementType::kQ6_K, "q6_k", 256, 210, 14},   {ElementType::kIQ4_XS, "iq4_xs", 256, 136, 23},
};

}  // namespace

std::span<const ElementTypeInfo> element_types() { return kTypes; }

const ElementTypeInfo& info(ElementType type) {
  const ElementTypeInfo& entry = kTypes[static_cast<size_t>(type)];
  assert(entry.type == type);
  return entry;
}

std::optional<ElementType> element_type_from_name(std::string_view name) {
  for (const ElementTypeInfo& entry : kTypes) {
    if (entry.name == name) return entry.type;
  }
  return std::nullopt;
}

std::optional<ElementType> element_type_from_ggml(uint32_t ggml_id) {
  for (const ElementTypeInfo& entry : kTypes) {
    if (entry.ggml_id == ggml_id) return entry.type;
  }
  return std::nullopt;
}

bool is_float(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBF16 ||
         type == ElementType::kF64;
}

bool is_integer(ElementType type) { return type >= ElementType::kI8 && type <= ElementType::kU8; }

size_t bytes_for(ElementType type, int64_t count) {
  const ElementTypeInfo& entry = info(type);
  assert(count >= 0 && count % entry.block_elements == 0);
  return static_cast<size_t>(count / entry.block_elements) * static_cast<size_t>(entry.block_bytes);
}

}  // namespace tenon
