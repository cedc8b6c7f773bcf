// Filters that apply another filter or a test to each element.
#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/attribute_path.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filter_functions.h"
#include "tenon/text/jinja/interpreter.h"

namespace tenon::text::jinja::filter {
namespace {

// The arguments behind the first `count` positional ones.
Arguments without_first(const Arguments& arguments, size_t count) {
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() + static_cast<std::ptrdiff_t>(count));
  return rest;
}

std::string_view name_argument(const Arguments& arguments, size_t place) {
  const Value& name = arguments.positional[place];
  if (!name.is_string()) fail("the name of a filter or test must be a string");
  return name.text().view();
}

// select(test, …) and selectattr(attribute, test, …); without a test, the truth of the value counts.
Value select_values(Interpreter& interpreter, const Value& operand, const Arguments& arguments,
                    bool by_attribute, bool wanted) {
  const size_t skipped = by_attribute ? 1 : 0;
  if (arguments.positional.size() < skipped) fail("Missing parameter for attribute name");
  const AttributePath path(by_attribute ? &arguments.positional[0] : nullptr);
  const bool has_test = arguments.positional.size() > skipped;
  const Arguments rest = without_first(arguments, skipped + (has_test ? 1 : 0));
  std::vector<Value> kept;
  if (truthy(operand)) {
    for (Value& value : iterate(interpreter.heap(), operand)) {
      const Value subject = path.read(interpreter, value);
      interpreter.heap().charge_step();
      const bool holds = has_test ? interpreter.apply_test(name_argument(arguments, skipped), subject, rest)
                                  : truthy(subject);
      if (holds == wanted) kept.push_back(std::move(value));
    }
  }
  return interpreter.heap().iterator(std::move(kept));
}

}  // namespace

// map(attribute='name', default=…) or map(filter, …)
Value map(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const bool by_attribute = arguments.positional.empty();
  const Value* attribute = nullptr;
  const Value* fallback = nullptr;
  if (by_attribute) {
    const auto bound = bind<2>(arguments, "map", {"attribute", "default"}, 1);
    attribute = bound[0];
    fallback = bound[1];
  }
  const AttributePath path(attribute);
  const Arguments rest = without_first(arguments, by_attribute ? 0 : 1);
  std::vector<Value> mapped;
  if (truthy(operand)) {
    for (const Value& value : iterate(interpreter.heap(), operand)) {
      interpreter.heap().charge_step();
      if (by_attribute) {
        Value read = path.read(interpreter, value);
        mapped.push_back(read.is_undefined() && fallback != nullptr ? *fallback : std::move(read));
      } else {
        mapped.push_back(interpreter.apply_filter(name_argument(arguments, 0), value, rest));
      }
    }
  }
  return interpreter.heap().iterator(std::move(mapped));
}

Value reject(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return select_values(interpreter, operand, arguments, false, false);
}

Value reject_attr(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return select_values(interpreter, operand, arguments, true, false);
}

Value select(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return select_values(interpreter, operand, arguments, false, true);
}

Value select_attr(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  return select_values(interpreter, operand, arguments, true, true);
}

}  // namespace tenon::text::jinja::filter
