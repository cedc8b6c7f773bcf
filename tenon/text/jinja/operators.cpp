#include "tenon/text/jinja/operators.h"

#include <algorithm>
#include <cmath>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/format.h"
#include "tenon/text/jinja/print.h"

namespace tenon::text::jinja {
namespace {

std::string_view symbol(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kAdd:
      return "+";
    case BinaryOperator::kSubtract:
      return "-";
    case BinaryOperator::kMultiply:
      return "*";
    case BinaryOperator::kDivide:
      return "/";
    case BinaryOperator::kFloorDivide:
      return "//";
    case BinaryOperator::kModulo:
      return "%";
    case BinaryOperator::kPower:
      return "** or pow()";
  }
  return "";
}

int64_t checked(bool overflowed, int64_t result) {
  if (overflowed) fail("an integer beyond 64 bits");
  return result;
}

int64_t add(int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflowed = __builtin_add_overflow(a, b, &result);
  return checked(overflowed, result);
}

int64_t subtract(int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflowed = __builtin_sub_overflow(a, b, &result);
  return checked(overflowed, result);
}

int64_t multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  const bool overflowed = __builtin_mul_overflow(a, b, &result);
  return checked(overflowed, result);
}

// Python rounds a quotient down; the remainder has the sign of the divisor.
int64_t floor_divide(int64_t a, int64_t b) {
  if (b == -1) return subtract(0, a);
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

int64_t modulo(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

double modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0.0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0) result = multiply(result, base);
    exponent >>= 1;
    if (exponent == 0 || base == 0 || base == 1) return result;
    base = multiply(base, base);
  }
}

Value integer_result(BinaryOperator op, int64_t a, int64_t b) {
  switch (op) {
    case BinaryOperator::kAdd:
      return Value(add(a, b));
    case BinaryOperator::kSubtract:
      return Value(subtract(a, b));
    case BinaryOperator::kMultiply:
      return Value(multiply(a, b));
    case BinaryOperator::kDivide:
      return Value(static_cast<double>(a) / static_cast<double>(b));
    case BinaryOperator::kFloorDivide:
      return Value(floor_divide(a, b));
    case BinaryOperator::kModulo:
      return Value(modulo(a, b));
    case BinaryOperator::kPower:
      return b < 0 ? Value(std::pow(static_cast<double>(a), static_cast<double>(b))) : Value(power(a, b));
  }
  return Value();
}

Value real_result(BinaryOperator op, double a, double b) {
  switch (op) {
    case BinaryOperator::kAdd:
      return Value(a + b);
    case BinaryOperator::kSubtract:
      return Value(a - b);
    case BinaryOperator::kMultiply:
      return Value(a * b);
    case BinaryOperator::kDivide:
      return Value(a / b);
    case BinaryOperator::kFloorDivide:
      return Value(std::floor(a / b));
    case BinaryOperator::kModulo:
      return Value(modulo(a, b));
    case BinaryOperator::kPower:
      return Value(std::pow(a, b));
  }
  return Value();
}

Value number_result(BinaryOperator op, const Value& left, const Value& right) {
  const bool divides =
      op == BinaryOperator::kDivide || op == BinaryOperator::kFloorDivide || op == BinaryOperator::kModulo;
  const bool inverts = op == BinaryOperator::kPower && left.real() == 0.0 && right.real() < 0.0;
  if ((divides && right.real() == 0.0) || inverts) fail("division by zero");
  return left.is_integral() && right.is_integral() ? integer_result(op, left.integer(), right.integer())
                                                   : real_result(op, left.real(), right.real());
}

Text add_text(const Text& left, const Text& right) {
  const bool markup = left.is_markup() || right.is_markup();
  Text result;
  result.append(markup ? escape_html(left) : left);
  result.append(markup ? escape_html(right) : right);
  result.set_markup(markup);
  return result;
}

Text repeat(const Text& text, int64_t count) {
  Text result;
  if (text.empty()) return result;
  for (; count > 0; --count) result.append(text);
  return result;
}

Value repeat(Heap& heap, const List& list, int64_t count) {
  const auto times = static_cast<size_t>(std::max<int64_t>(count, 0));
  size_t total = 0;
  if (__builtin_mul_overflow(list.items.size(), times, &total) || total > kMaxTextBytes) {
    fail("a list of too many elements");
  }
  heap.charge_values(total);
  std::vector<Value> items;
  items.reserve(total);
  while (items.size() < total) items.insert(items.end(), list.items.begin(), list.items.end());
  return heap.list(std::move(items), list.flavor);
}

bool is_sequence(const Value& value) {
  return value.is(Kind::kList) && value.list().flavor <= List::Flavor::kTuple;
}

}  // namespace

Value apply_unary(UnaryOperator op, const Value& operand) {
  if (op == UnaryOperator::kNot) return Value(!truthy(operand));
  if (operand.is_undefined()) fail(operand.undefined_reason());
  if (!operand.is_number())
    fail("bad operand type for unary operator: '" + std::string(type_name(operand)) + "'");
  if (!operand.is_integral()) return Value(op == UnaryOperator::kNegate ? -operand.real() : operand.real());
  return Value(op == UnaryOperator::kNegate ? subtract(0, operand.integer()) : operand.integer());
}

Value apply_binary(Heap& heap, BinaryOperator op, const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) return number_result(op, left, right);
  if (op == BinaryOperator::kModulo && left.is_string()) return Value(format_percent(left.text(), right));
  for (const Value* operand : {&left, &right}) {
    if (operand->is_undefined()) fail(operand->undefined_reason());
  }
  if (op == BinaryOperator::kAdd && left.is_string() && right.is_string()) {
    return Value(add_text(left.text(), right.text()));
  }
  if (op == BinaryOperator::kAdd && is_sequence(left) && is_sequence(right) &&
      left.list().flavor == right.list().flavor) {
    heap.charge_values(left.list().items.size() + right.list().items.size());
    std::vector<Value> items = left.list().items;
    items.insert(items.end(), right.list().items.begin(), right.list().items.end());
    return heap.list(std::move(items), left.list().flavor);
  }
  if (op == BinaryOperator::kMultiply && (left.is_integral() || right.is_integral())) {
    const Value& sequence = left.is_integral() ? right : left;
    const int64_t count = (left.is_integral() ? left : right).integer();
    if (sequence.is_string()) return Value(repeat(sequence.text(), count));
    if (is_sequence(sequence)) return repeat(heap, sequence.list(), count);
  }
  if (op == BinaryOperator::kAdd && left.is_string()) {
    fail("can only concatenate str (not \"" + std::string(type_name(right)) + "\") to str");
  }
  fail("unsupported operand type(s) for " + std::string(symbol(op)) + ": '" + std::string(type_name(left)) +
       "' and '" + std::string(type_name(right)) + "'");
}

bool apply_comparison(Heap& heap, ComparisonOperator op, const Value& left, const Value& right) {
  const bool has_nan =
      left.is_number() && right.is_number() && (std::isnan(left.real()) || std::isnan(right.real()));
  switch (op) {
    case ComparisonOperator::kEqual:
      return equal(left, right);
    case ComparisonOperator::kNotEqual:
      return !equal(left, right);
    case ComparisonOperator::kLess:
      return !has_nan && compare(left, right) < 0;
    case ComparisonOperator::kLessEqual:
      return !has_nan && compare(left, right) <= 0;
    case ComparisonOperator::kGreater:
      return !has_nan && compare(left, right) > 0;
    case ComparisonOperator::kGreaterEqual:
      return !has_nan && compare(left, right) >= 0;
    case ComparisonOperator::kIn:
      return contains(heap, right, left);
    case ComparisonOperator::kNotIn:
      return !contains(heap, right, left);
  }
  return false;
}

bool contains(Heap& heap, const Value& container, const Value& needle) {
  if (container.is_string()) {
    if (needle.is_undefined()) fail(needle.undefined_reason());
    if (!needle.is_string()) {
      fail("'in <string>' requires string as left operand, not " + std::string(type_name(needle)));
    }
    return container.text().view().find(needle.text().view()) != std::string_view::npos;
  }
  if (container.is(Kind::kDict)) return container.dict().find(needle) != nullptr;
  if (!is_iterable(container))
    fail("argument of type '" + std::string(type_name(container)) + "' is not iterable");
  const std::vector<Value> items = iterate(heap, container);
  return std::any_of(items.begin(), items.end(), [&](const Value& item) { return equal(item, needle); });
}

}  // namespace tenon::text::jinja
