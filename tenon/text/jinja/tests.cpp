#include "tenon/text/jinja/tests.h"

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filters.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/operators.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/sorted_table.h"
#include "tenon/text/jinja/text_functions.h"

namespace tenon::text::jinja {
namespace {

using Question = bool (*)(const Value&);

// A test without arguments.
template <Question kQuestion>
bool ask(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "test");
  return kQuestion(operand);
}

template <ComparisonOperator kOperator>
bool compare_with(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [other] = bind<1>(arguments, "test", {"other"}, 1);
  return apply_comparison(interpreter.heap(), kOperator, operand, *other);
}

bool has_remainder(Interpreter& interpreter, const Value& operand, int64_t divisor, int64_t wanted) {
  return equal(apply_binary(interpreter.heap(), BinaryOperator::kModulo, operand, Value(divisor)),
               Value(wanted));
}

bool divisible_by(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [divisor] = bind<1>(arguments, "divisibleby", {"num"}, 1);
  return equal(apply_binary(interpreter.heap(), BinaryOperator::kModulo, operand, *divisor),
               Value(int64_t{0}));
}

bool even(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "even");
  return has_remainder(interpreter, operand, 2, 0);
}

bool odd(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "odd");
  return has_remainder(interpreter, operand, 2, 1);
}

bool same_as(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [other] = bind<1>(arguments, "sameas", {"other"}, 1);
  return operand.same_as(*other);
}

bool is_boolean(const Value& value) { return value.is(Kind::kBool); }
// Python's Undefined can be called; it then fails.
bool is_callable(const Value& value) {
  return value.is(Kind::kFunction) || value.is(Kind::kLoop) || value.is_undefined();
}
bool is_defined(const Value& value) { return !value.is_undefined(); }
bool is_false(const Value& value) { return is_boolean(value) && !value.boolean(); }
bool is_filter(const Value& value) {
  return value.is_string() && find_filter(value.text().view()) != nullptr;
}
bool is_float(const Value& value) { return value.is(Kind::kReal); }
bool is_int(const Value& value) { return value.is(Kind::kInteger); }
bool is_lower_text(const Value& value) { return all_lower(to_text(value)); }
bool is_mapping(const Value& value) { return value.is(Kind::kDict); }
bool is_none(const Value& value) { return value.is_none(); }
bool is_number(const Value& value) { return value.is_number(); }
bool is_sequence(const Value& value) {
  return value.is_string() || value.is(Kind::kDict) || value.is_undefined() ||
         (value.is(Kind::kList) && value.list().has_index());
}
bool is_string(const Value& value) { return value.is_string(); }
bool is_test(const Value& value) { return value.is_string() && find_test(value.text().view()) != nullptr; }
bool is_true(const Value& value) { return is_boolean(value) && value.boolean(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_upper_text(const Value& value) { return all_upper(to_text(value)); }

struct Row {
  std::string_view name;
  TestFunction call;
};

constexpr std::array<Row, 38> kTests = {{{"!=", compare_with<ComparisonOperator::kNotEqual>},
                                         {"<", compare_with<ComparisonOperator::kLess>},
                                         {"<=", compare_with<ComparisonOperator::kLessEqual>},
                                         {"==", compare_with<ComparisonOperator::kEqual>},
                                         {">", compare_with<ComparisonOperator::kGreater>},
                                         {">=", compare_with<ComparisonOperator::kGreaterEqual>},
                                         {"boolean", ask<is_boolean>},
                                         {"callable", ask<is_callable>},
                                         {"defined", ask<is_defined>},
                                         {"divisibleby", divisible_by},
                                         {"eq", compare_with<ComparisonOperator::kEqual>},
                                         {"equalto", compare_with<ComparisonOperator::kEqual>},
                                         {"even", even},
                                         {"false", ask<is_false>},
                                         {"filter", ask<is_filter>},
                                         {"float", ask<is_float>},
                                         {"ge", compare_with<ComparisonOperator::kGreaterEqual>},
                                         {"greaterthan", compare_with<ComparisonOperator::kGreater>},
                                         {"gt", compare_with<ComparisonOperator::kGreater>},
                                         {"in", compare_with<ComparisonOperator::kIn>},
                                         {"integer", ask<is_int>},
                                         {"iterable", ask<is_iterable>},
                                         {"le", compare_with<ComparisonOperator::kLessEqual>},
                                         {"lessthan", compare_with<ComparisonOperator::kLess>},
                                         {"lower", ask<is_lower_text>},
                                         {"lt", compare_with<ComparisonOperator::kLess>},
                                         {"mapping", ask<is_mapping>},
                                         {"ne", compare_with<ComparisonOperator::kNotEqual>},
                                         {"none", ask<is_none>},
                                         {"number", ask<is_number>},
                                         {"odd", odd},
                                         {"sameas", same_as},
                                         {"sequence", ask<is_sequence>},
                                         {"string", ask<is_string>},
                                         {"test", ask<is_test>},
                                         {"true", ask<is_true>},
                                         {"undefined", ask<is_undefined>},
                                         {"upper", ask<is_upper_text>}}};
static_assert(is_sorted_by_name(kTests));

}  // namespace

TestFunction find_test(std::string_view name) {
  const Row* row = find_by_name(kTests, name);
  return row != nullptr ? row->call : nullptr;
}

}  // namespace tenon::text::jinja
