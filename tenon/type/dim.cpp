#include "tenon/type/dim.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace tenon {

namespace {

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  return out;
}

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out)) return a < 0 ? INT64_MIN : INT64_MAX;
  return out;
}

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)); }

}  // namespace

Dim::Dim(int64_t value) : constant_(value) {}

Dim Dim::symbol(std::string_view name) {
  Dim out;
  out.terms_[{std::string(name)}] = 1;
  return out;
}

Result<Dim> Dim::parse(std::string_view text) {
  const auto fail = [&] {
    return Error{ErrorCode::kInvalidArgument, "dimension",
                 "a number, a symbol or a sum of products such as 4*T", "'" + std::string(text) + "'", ""};
  };
  Dim sum;
  size_t i = 0;
  int64_t sign = 1;
  if (i < text.size() && text[i] == '-') sign = -1, ++i;
  for (;;) {
    Dim product(sign);
    for (;;) {
      const size_t start = i;
      if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]))) {
        int64_t number = 0;
        for (; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])); ++i) {
          if (__builtin_mul_overflow(number, 10, &number) ||
              __builtin_add_overflow(number, text[i] - '0', &number)) {
            return fail();
          }
        }
        product = product * Dim(number);
      } else if (i < text.size() && is_name_start(text[i])) {
        while (i < text.size() && is_name(text[i])) ++i;
        product = product * Dim::symbol(text.substr(start, i - start));
      } else {
        return fail();
      }
      if (i < text.size() && text[i] == '*')
        ++i;
      else
        break;
    }
    sum = sum + product;
    if (i == text.size()) return sum;
    if (text[i] != '+' && text[i] != '-') return fail();
    sign = text[i++] == '-' ? -1 : 1;
  }
}

int64_t Dim::value() const {
  if (!is_constant()) throw std::logic_error("[Dim::value] " + to_string() + " is not a constant");
  return constant_;
}

std::optional<int64_t> Dim::try_value() const {
  return is_constant() ? std::optional<int64_t>(constant_) : std::nullopt;
}

std::optional<std::string> Dim::symbol_name() const {
  if (constant_ != 0 || terms_.size() != 1) return std::nullopt;
  const auto& [product, coefficient] = *terms_.begin();
  if (coefficient != 1 || product.size() != 1) return std::nullopt;
  return product[0];
}

bool Dim::mentions(std::string_view symbol) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const auto& term) {
    return std::find(term.first.begin(), term.first.end(), symbol) != term.first.end();
  });
}

void Dim::collect_symbols(std::vector<std::string>& out) const {
  for (const auto& [product, coefficient] : terms_) out.insert(out.end(), product.begin(), product.end());
}

int64_t Dim::evaluate(const SymbolValues& values) const {
  int64_t sum = constant_;
  for (const auto& [product, coefficient] : terms_) {
    int64_t term = coefficient;
    for (const std::string& name : product) {
      const auto found = values.find(name);
      if (found == values.end()) throw std::logic_error("[Dim::evaluate] symbol " + name + " has no value");
      term = saturating_multiply(term, found->second);
    }
    sum = saturating_add(sum, term);
  }
  return sum;
}

Bounds Dim::bounds(const SymbolBounds& symbols) const {
  Bounds sum{constant_, constant_};
  for (const auto& [product, coefficient] : terms_) {
    Bounds term{1, 1};  // symbols are never negative, so products keep their order
    for (const std::string& name : product) {
      const auto found = symbols.find(name);
      const Bounds factor = found == symbols.end() ? Bounds{} : found->second;
      term = {saturating_multiply(term.min, factor.min), saturating_multiply(term.max, factor.max)};
    }
    const int64_t low = saturating_multiply(coefficient, coefficient > 0 ? term.min : term.max);
    const int64_t high = saturating_multiply(coefficient, coefficient > 0 ? term.max : term.min);
    sum = {saturating_add(sum.min, low), saturating_add(sum.max, high)};
  }
  return sum;
}

std::optional<Dim> Dim::divide(const Dim& divisor) const {
  if (*this == divisor) return Dim(1);
  Product by;
  int64_t by_coefficient = divisor.constant_;
  if (!divisor.is_constant()) {
    if (divisor.constant_ != 0 || divisor.terms_.size() != 1) return std::nullopt;
    by = divisor.terms_.begin()->first;
    by_coefficient = divisor.terms_.begin()->second;
  }
  if (by_coefficient == 0) return std::nullopt;
  Dim out;
  if (constant_ != 0) {
    if (!by.empty() || constant_ % by_coefficient != 0) return std::nullopt;
    out.constant_ = constant_ / by_coefficient;
  }
  for (const auto& [product, coefficient] : terms_) {
    if (coefficient % by_coefficient != 0 ||
        !std::includes(product.begin(), product.end(), by.begin(), by.end())) {
      return std::nullopt;
    }
    Product rest;
    std::set_difference(product.begin(), product.end(), by.begin(), by.end(), std::back_inserter(rest));
    Dim term(coefficient / by_coefficient);
    for (const std::string& name : rest) term = term * Dim::symbol(name);
    out = out + term;
  }
  return out;
}

std::string Dim::to_string() const {
  std::string out;
  for (const auto& [product, coefficient] : terms_) {
    if (coefficient < 0)
      out += '-';
    else if (!out.empty())
      out += '+';
    const int64_t magnitude = coefficient < 0 ? -coefficient : coefficient;
    std::string term = magnitude == 1 ? "" : std::to_string(magnitude);
    for (const std::string& name : product) term += (term.empty() ? "" : "*") + name;
    out += term;
  }
  if (out.empty()) return std::to_string(constant_);
  if (constant_ > 0) out += '+';
  if (constant_ != 0) out += std::to_string(constant_);
  return out;
}

Dim operator+(const Dim& a, const Dim& b) {
  Dim out = a;
  out.constant_ = saturating_add(out.constant_, b.constant_);
  for (const auto& [product, coefficient] : b.terms_) {
    const int64_t sum = saturating_add(out.terms_[product], coefficient);
    if (sum == 0)
      out.terms_.erase(product);
    else
      out.terms_[product] = sum;
  }
  return out;
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim operator*(const Dim& a, const Dim& b) {
  Dim out(saturating_multiply(a.constant_, b.constant_));
  const auto add = [&out](Dim::Product product, int64_t coefficient) {
    if (coefficient == 0) return;
    Dim term;
    std::sort(product.begin(), product.end());
    term.terms_[std::move(product)] = coefficient;
    out = out + term;
  };
  for (const auto& [product, coefficient] : a.terms_)
    add(product, saturating_multiply(coefficient, b.constant_));
  for (const auto& [product, coefficient] : b.terms_)
    add(product, saturating_multiply(coefficient, a.constant_));
  for (const auto& [left, left_coefficient] : a.terms_) {
    for (const auto& [right, right_coefficient] : b.terms_) {
      Dim::Product product = left;
      product.insert(product.end(), right.begin(), right.end());
      add(std::move(product), saturating_multiply(left_coefficient, right_coefficient));
    }
  }
  return out;
}

}  // namespace tenon
