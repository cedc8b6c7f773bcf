// Filters that make numbers, and `default`.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filter_functions.h"
#include "tenon/text/jinja/literal.h"
#include "tenon/text/jinja/operators.h"

namespace tenon::text::jinja::filter {
namespace {

constexpr double kInt64End = 9223372036854775808.0;  // 2^63

std::optional<double> to_real(const Value& value) {
  if (value.is_number()) return value.real();
  return value.is_string() ? parse_python_float(value.text().view()) : std::nullopt;
}

// Python's int(x) of a float: towards zero; none for nan, inf and what does not fit.
std::optional<int64_t> truncate(std::optional<double> value) {
  if (!value || !(*value >= -kInt64End && *value < kInt64End)) return std::nullopt;
  return static_cast<int64_t>(*value);
}

// Python's round(value, digits): the decimal digits of the exact value, ties to even.
double round_common(double value, int64_t digits) {
  if (!std::isfinite(value) || digits > 300) return value;
  if (digits < 0) {
    const double scale = std::pow(10.0, static_cast<double>(-digits));
    return std::isfinite(scale) ? std::nearbyint(value / scale) * scale : 0.0;
  }
  std::array<char, 700> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(digits), value);
  return std::strtod(buffer.data(), nullptr);
}

}  // namespace

Value abs(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "abs");
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (!operand.is_number()) fail("bad operand type for abs(): '" + std::string(type_name(operand)) + "'");
  const bool negative = operand.is_integral() ? operand.integer() < 0 : std::signbit(operand.real());
  return apply_unary(negative ? UnaryOperator::kNegate : UnaryOperator::kPlus, operand);
}

Value default_value(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [fallback, boolean] = bind<2>(arguments, "default", {"default_value", "boolean"});
  const bool replaces = operand.is_undefined() || (flag_or(boolean, false) && !truthy(operand));
  if (!replaces) return operand;
  return fallback != nullptr ? *fallback : Value(Text());
}

Value integer(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [fallback, base] = bind<2>(arguments, "int", {"default", "base"});
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (operand.is_integral()) return Value(operand.integer());
  std::optional<int64_t> number;
  if (operand.is_string()) {
    number = parse_python_int(operand.text().view(),
                              static_cast<int>(std::min<int64_t>(integer_or(base, 10), 37)));
  }
  if (!number) number = truncate(to_real(operand));  // "42.23" is 42
  if (number) return Value(*number);
  return fallback != nullptr ? *fallback : Value(int64_t{0});
}

Value length(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "length");
  return Value::size(jinja::length(operand));
}

Value real(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [fallback] = bind<1>(arguments, "float", {"default"});
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (const auto number = to_real(operand)) return Value(*number);
  return fallback != nullptr ? *fallback : Value(0.0);
}

Value round(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [precision, method] = bind<2>(arguments, "round", {"precision", "method"});
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (!operand.is_number())
    fail("type " + std::string(type_name(operand)) + " doesn't define __round__ method");
  const int64_t digits = integer_or(precision, 0);
  const std::string_view name = method != nullptr && method->is_string() ? method->text().view() : "common";
  if (name == "common") {
    if (operand.is_integral() && digits >= 0) return Value(operand.integer());
    const double rounded = round_common(operand.real(), digits);
    if (!operand.is_integral()) return Value(rounded);
    const auto whole = truncate(rounded);
    if (!whole) fail("an integer beyond 64 bits");
    return Value(*whole);
  }
  if (name != "ceil" && name != "floor") fail("method must be common, ceil or floor");
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = operand.real() * scale;
  return Value((name == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

}  // namespace tenon::text::jinja::filter
