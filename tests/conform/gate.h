// The gate of contract E2: every registered translator, and each of its cases, was converted and compared
// with what real ggml computed, on every runtime that the machine has. What was compared is recorded by the
// comparison itself; there is no list by hand.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenon/translate/convert.h"

namespace tenon::conform {

struct Comparison {
  std::string op;          // ggml's name
  std::string op_case;     // as translate::case_of names it
  std::string capture;     // the captured case
  std::string type;        // element types of the inputs
  std::string runtime;     // one of runtimes()
  std::string kernels;     // that the runtime took
  double worst_error = 0;  // largest |found - expected|
  double tolerance = 0;    // allowed where that error was
  // The squared error as a share of ggml's own, where ggml rounds an operand.
  std::optional<double> squared_error_of_ggml;
  std::string revision;  // of the ggml that computed the expected values
};

// The comparisons of this process so far.
std::vector<Comparison>& comparisons();

// Prints the comparisons to `report`, and what is missing. False where a row of the table, or one of its
// cases, has no comparison on one of the runtimes, and where table, record or runtimes are empty.
bool all_compared(std::span<const translate::TranslatorRow> table, std::span<const Comparison> record,
                  std::span<const std::string> runtimes, std::string* report);

}  // namespace tenon::conform
