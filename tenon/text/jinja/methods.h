// Methods of strings, lists, dicts and loops: what a template may call behind a dot.
#pragma once

#include <string_view>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

struct Method {
  std::string_view name;
  Value (*call)(Interpreter& interpreter, const Value& self, const Arguments& arguments);
};

// nullptr when values of this kind have no such method.
const Method* find_method(const Value& object, std::string_view name);

// The part of find_method that strings have.
const Method* find_string_method(std::string_view name);

}  // namespace tenon::text::jinja
