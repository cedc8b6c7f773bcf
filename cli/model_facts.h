// Small facts of a file that reports tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenon/gguf/file.h"

namespace tenon::cli {

struct TypeTotal {
  ElementType element;
  int64_t tensors = 0;
  size_t bytes = 0;
};

// Of each element type that occurs; most bytes first.
std::vector<TypeTotal> type_totals(const gguf::File& file);
// Of the weights that one token reads: of a look-up table next to nothing, unless it is the output matrix
// too; of experts those that are used.
uint64_t weight_bytes_per_token(const gguf::File& file);
int64_t parameter_count(const gguf::File& file);

std::string parameters_text(int64_t count);  // "134.52 M", "1.24 B"
std::string size_text(uint64_t bytes);       // "93.72 MiB", "1.10 GiB"

}  // namespace tenon::cli
