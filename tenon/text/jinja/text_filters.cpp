// Filters that make text.
#include <algorithm>

#include "tenon/text/jinja/arguments.h"
#include "tenon/text/jinja/attribute_path.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filter_functions.h"
#include "tenon/text/jinja/format.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/text_functions.h"

namespace tenon::text::jinja::filter {
namespace {

// An indentation: a string, or a number of spaces.
Text spaces_or_text(const Value& width) {
  if (width.is_string()) return width.text();
  const int64_t count = std::max<int64_t>(to_index(width), 0);
  if (count > static_cast<int64_t>(kMaxTextBytes)) fail("an indentation of too many spaces");
  return Text(std::string(static_cast<size_t>(count), ' '));
}

}  // namespace

Value capitalize(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "capitalize");
  return Value(jinja::capitalize(to_text(operand)));
}

Value escape(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "escape");
  return Value(escape_html(to_text(operand)));
}

// "%s" | format(value, …)
Value format(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    fail("can't handle positional and keyword arguments at the same time");
  }
  if (arguments.named.empty()) {
    return Value(format_percent(to_text(operand), interpreter.heap().tuple(arguments.positional)));
  }
  Dict values;
  for (const auto& [name, value] : arguments.named) values.set(Value::string(name), value);
  return Value(format_percent(to_text(operand), interpreter.heap().dict(std::move(values))));
}

Value indent(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [width, first, blank] = bind<3>(arguments, "indent", {"width", "first", "blank"});
  if (!operand.is_string()) fail("indent wants a string, not " + std::string(type_name(operand)));
  const Text indentation = spaces_or_text(width != nullptr ? *width : Value(int64_t{4}));
  const bool indents_first = flag_or(first, false);
  const bool indents_blank = flag_or(blank, false);
  // One newline more, so that a newline at the end leaves an empty last line.
  Text text = operand.text();
  text.append("\n");
  Text out;
  bool is_first = true;
  for (const Text& line : split_lines(text)) {
    if (!is_first) out.append("\n");
    if (is_first ? indents_first : indents_blank || !line.empty()) out.append(indentation);
    out.append(line);
    is_first = false;
  }
  return Value(std::move(out));
}

Value join(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [separator, attribute] = bind<2>(arguments, "join", {"d", "attribute"});
  const Text between = separator != nullptr ? to_text(*separator) : Text();
  const AttributePath path(attribute);
  Text out;
  bool is_first = true;
  for (const Value& item : iterate(interpreter.heap(), operand)) {
    if (!std::exchange(is_first, false)) out.append(between);
    out.append(to_text(path.read(interpreter, item)));
  }
  return Value(std::move(out));
}

Value lower(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "lower");
  return Value(to_lower(to_text(operand)));
}

Value replace(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [old_part, new_part, count] = bind<3>(arguments, "replace", {"old", "new", "count"}, 2);
  return Value(
      jinja::replace(to_text(operand), to_text(*old_part), to_text(*new_part), integer_or(count, -1)));
}

Value safe(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "safe");
  Text text = to_text(operand);
  text.set_markup(true);
  return Value(std::move(text));
}

Value string(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "string");
  return Value(to_text(operand));
}

Value title(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "title");
  return Value(title_words(to_text(operand)));
}

// The signature is that of the filter which chat templates are written for, not of Jinja's own.
Value to_json(Interpreter& interpreter, const Value& operand, const Arguments& arguments) {
  const auto [ensure_ascii, indent, separators, sort_keys] =
      bind<4>(arguments, "tojson", {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = flag_or(ensure_ascii, false);
  style.sort_keys = flag_or(sort_keys, false);
  if (indent != nullptr && !indent->is_none()) {
    style.multi_line = true;
    style.indent = spaces_or_text(*indent);
    style.item_separator = Text(",");
  }
  if (separators != nullptr && !separators->is_none()) {
    const std::vector<Value> pair = iterate(interpreter.heap(), *separators);
    const bool strings = pair.size() == 2 && pair[0].is_string() && pair[1].is_string();
    if (!strings) fail("separators must be a pair of strings");
    style.item_separator = to_text(pair[0]);
    style.key_separator = to_text(pair[1]);
  }
  return Value(jinja::to_json(operand, style));
}

Value trim(Interpreter&, const Value& operand, const Arguments& arguments) {
  const auto [characters] = bind<1>(arguments, "trim", {"chars"});
  const bool given = characters != nullptr && !characters->is_none();
  const Text set = given ? to_text(*characters) : Text();
  return Value(strip(to_text(operand), Side::kBoth, given ? &set : nullptr));
}

Value upper(Interpreter&, const Value& operand, const Arguments& arguments) {
  expect_no_arguments(arguments, "upper");
  return Value(to_upper(to_text(operand)));
}

}  // namespace tenon::text::jinja::filter
