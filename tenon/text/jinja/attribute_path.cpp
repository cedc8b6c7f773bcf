#include "tenon/text/jinja/attribute_path.h"

#include <algorithm>

#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/literal.h"
#include "tenon/text/jinja/text_functions.h"

namespace tenon::text::jinja {

AttributePath::AttributePath(const Value* attribute) {
  if (attribute == nullptr || attribute->is_none()) return;
  if (!attribute->is_string()) {
    parts_.push_back(*attribute);
    return;
  }
  const Text dot(".");
  for (Text& part : split(attribute->text(), &dot, -1, false)) {
    const std::string_view view = part.view();
    const bool is_number =
        !view.empty() && std::all_of(view.begin(), view.end(), [](char c) { return c >= '0' && c <= '9'; });
    const auto number = is_number ? parse_python_int(view, 10) : std::nullopt;
    parts_.push_back(number ? Value(*number) : Value(std::move(part)));
  }
}

Value AttributePath::read(Interpreter& interpreter, const Value& value) const {
  Value current = value;
  for (const Value& part : parts_) current = interpreter.subscript(current, part);
  return current;
}

}  // namespace tenon::text::jinja
