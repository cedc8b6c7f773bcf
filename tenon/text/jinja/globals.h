// The functions that every template can call: dict, namespace, raise_exception, range, strftime_now.
#pragma once

namespace tenon::text::jinja {

class Interpreter;

void define_builtins(Interpreter& interpreter);

}  // namespace tenon::text::jinja
