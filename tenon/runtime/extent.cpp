#include "tenon/runtime/extent.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::runtime {

Extent::Extent(const Dim& dim, std::span<const std::string> symbols) : constant_(dim.constant_term()) {
  for (const auto& [product, coefficient] : dim.terms()) {
    Term term{coefficient, {}};
    for (const std::string& name : product) {
      const auto found = std::find(symbols.begin(), symbols.end(), name);
      if (found == symbols.end())
        throw std::logic_error("[Extent] symbol " + name + " is not one of the plan's");
      term.symbols.push_back(static_cast<int>(found - symbols.begin()));
    }
    terms_.push_back(std::move(term));
  }
}

uint64_t Extent::mentions() const {
  uint64_t bits = 0;
  for (const Term& term : terms_) {
    for (const int symbol : term.symbols) bits |= uint64_t{1} << symbol;
  }
  return bits;
}

}  // namespace tenon::runtime
