// Which type each matrix of a file has, by the file's type, as llama-quantize chooses without an importance
// matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tenon/synth/blueprint.h"
#include "tenon/type/element_type.h"

namespace tenon::synth {

struct FileType {
  std::string_view name;  // "Q4_K_M"
  uint32_t id;            // general.file_type
  ElementType element;    // of most matrices
};

// In the order in which help texts name them.
std::span<const FileType> file_types();
const FileType* find_file_type(std::string_view name);  // nullptr when there is none

// The type of each tensor; `tensors` of one layer after the other, of `layers` layers.
std::vector<ElementType> element_types_of(const FileType& type, std::span<const TensorPlan> tensors,
                                          int64_t layers);

}  // namespace tenon::synth
