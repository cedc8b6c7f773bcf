#include "tenon/gguf/ggml_type.h"

#include <string>
#include <string_view>

namespace tenon::gguf {

namespace {

struct GgmlType {
  uint32_t id;
  std::string_view name;
  // For a type that was taken out of the format: what to convert to instead.
  std::string_view successor = {};
};

// Sorted by id; ids that ElementType covers are left out.
constexpr GgmlType kOtherTypes[] = {
    {4, "q4_2", "q4_0"},
    {5, "q4_3", "q4_1"},
    {9, "q8_1"},
    {15, "q8_k"},
    {16, "iq2_xxs"},
    {17, "iq2_xs"},
    {18, "iq3_xxs"},
    {19, "iq1_s"},
    {21, "iq3_s"},
    {22, "iq2_s"},
    {29, "iq1_m"},
    {31, "q4_0_4_4", "q4_0"},
    {32, "q4_0_4_8", "q4_0"},
    {33, "q4_0_8_8", "q4_0"},
    {34, "tq1_0"},
    {35, "tq2_0"},
    {36, "iq4_nl_4_4", "iq4_nl"},
    {37, "iq4_nl_4_8", "iq4_nl"},
    {38, "iq4_nl_8_8", "iq4_nl"},
    {40, "nvfp4"},
    {41, "q1_0"},
};

std::string names_of_runnable_types() {
  std::string out;
  for (const ElementTypeInfo& type : element_types()) {
    if (type.ggml_id) (out += out.empty() ? "" : ", ") += type.name;
  }
  return out;
}

}  // namespace

Result<ElementType> element_type_of_file(uint32_t ggml_id) {
  if (const std::optional<ElementType> type = element_type_from_ggml(ggml_id)) return *type;
  for (const GgmlType& type : kOtherTypes) {
    if (type.id != ggml_id) continue;
    const std::string found = std::string(type.name) + " (type " + std::to_string(ggml_id) + ")";
    if (!type.successor.empty()) {
      return Error{ErrorCode::kUnsupported, "", "a tensor type that GGUF still has",
                   found + ", which was removed from GGUF",
                   "convert the model again, to " + std::string(type.successor)};
    }
    return Error{ErrorCode::kUnsupported, "", "a tensor type that this build runs", found,
                 "quantise the model to one of " + names_of_runnable_types()};
  }
  return Error{ErrorCode::kInvalidFile, "", "a known tensor type", "type " + std::to_string(ggml_id),
               "the file is damaged or newer than this build"};
}

}  // namespace tenon::gguf
