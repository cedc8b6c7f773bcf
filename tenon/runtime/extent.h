// Dims made ready for the run: symbols are indices into an array of values, so that an evaluation neither
// looks up names nor allocates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenon/type/dim.h"

namespace tenon::runtime {

// One run's value of a symbol.
struct SymbolValue {
  std::string_view name;
  int64_t value = 0;
};

class Extent {
 public:
  Extent() = default;
  // `symbols` are the names whose values evaluate() gets, in that order. Throws std::logic_error for another
  // one.
  Extent(const Dim& dim, std::span<const std::string> symbols);

  int64_t evaluate(std::span<const int64_t> values) const {
    int64_t sum = constant_;
    for (const Term& term : terms_) {
      int64_t product = term.coefficient;
      for (const int symbol : term.symbols) product *= values[static_cast<size_t>(symbol)];
      sum += product;
    }
    return sum;
  }
  // Bit i is set when symbol i is mentioned.
  uint64_t mentions() const;

 private:
  struct Term {
    int64_t coefficient;
    std::vector<int> symbols;
  };
  int64_t constant_ = 0;
  std::vector<Term> terms_;
};

}  // namespace tenon::runtime
