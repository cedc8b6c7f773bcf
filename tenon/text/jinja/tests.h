// Jinja's tests: what may stand behind `is`.
#pragma once

#include <string_view>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

using TestFunction = bool (*)(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

// nullptr when there is none of that name.
TestFunction find_test(std::string_view name);

}  // namespace tenon::text::jinja
