// Extents of a tensor. A Dim is a constant, a named symbol (T new tokens, KV cached tokens …) or a sum of
// products of them (4*T, P + T), kept in one canonical form, so that two extents are known to be equal when
// they compare equal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/base/result.h"

namespace tenon {

// Inclusive bounds of a symbol's value.
struct Bounds {
  int64_t min = 0;
  int64_t max = INT64_MAX;
  bool operator==(const Bounds&) const = default;
};

using SymbolValues = std::map<std::string, int64_t, std::less<>>;
using SymbolBounds = std::map<std::string, Bounds, std::less<>>;

class Dim {
 public:
  Dim(int64_t value = 0);  // NOLINT: implicit on purpose
  static Dim symbol(std::string_view name);
  // "12", "T", "4*T", "P+T"; an error names the text.
  static Result<Dim> parse(std::string_view text);

  bool is_constant() const { return terms_.empty(); }
  // The constant's value; throws std::logic_error for a symbolic Dim.
  int64_t value() const;
  std::optional<int64_t> try_value() const;
  // The name, when this is exactly one symbol.
  std::optional<std::string> symbol_name() const;
  bool mentions(std::string_view symbol) const;
  void collect_symbols(std::vector<std::string>& out) const;

  // Throws std::logic_error naming the symbol when `values` lacks one. Saturates at INT64_MAX.
  int64_t evaluate(const SymbolValues& values) const;
  // Bounds by interval arithmetic; a symbol without an entry is in [0, INT64_MAX].
  Bounds bounds(const SymbolBounds& symbols) const;
  // The exact quotient when every coefficient divides, else nullopt. T*64 / 64 = T, 4*T*64 / T = 256.
  std::optional<Dim> divide(const Dim& divisor) const;

  // The parts of the canonical form: constant_term() + sum over terms() of coefficient * product of the named
  // symbols.
  using Product = std::vector<std::string>;  // sorted names
  int64_t constant_term() const { return constant_; }
  const std::map<Product, int64_t>& terms() const { return terms_; }

  std::string to_string() const;
  bool operator==(const Dim&) const = default;
  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);

 private:
  int64_t constant_ = 0;
  std::map<Product, int64_t> terms_;  // coefficient of each product; never 0
};

}  // namespace tenon
