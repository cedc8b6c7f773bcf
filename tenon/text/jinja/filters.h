// The filters: what may stand behind a pipe.
#pragma once

#include <string_view>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

using FilterFunction = Value (*)(Interpreter& interpreter, const Value& operand, const Arguments& arguments);

// nullptr when there is none of that name.
FilterFunction find_filter(std::string_view name);

}  // namespace tenon::text::jinja
