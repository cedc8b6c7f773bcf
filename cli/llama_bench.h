// llama.cpp's benchmark program: where it is, and what it is asked.
#pragma once

#include <string>
#include <vector>

#include "tenon/base/result.h"

namespace tenon::cli {

// The given one; else that in PATH; else the one that tools/oracle/setup.sh built into the user's cache. When
// there is none and this program runs from a source tree, that script is run first, which takes minutes once.
// Errors say how to get one.
Result<std::string> find_llama_bench(const std::string& given);

// Options that its author leaves to the user and that make it faster here and slower there: all are tried, so
// that a comparison is with its best.
struct LlamaVariant {
  bool repack;           // weights copied into a layout for the CPU
  bool flash_attention;  // one step instead of product, softmax, product

  std::vector<std::string> flags() const;
  std::string name() const;  // the flags in one line
};

inline constexpr LlamaVariant kLlamaVariants[] = {{true, true}, {false, true}, {true, false}, {false, false}};

}  // namespace tenon::cli
