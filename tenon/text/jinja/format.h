// Python's two ways to fill a template string: "%s" % value and "{}".format(value).
#pragma once

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

// `values`: one value, a tuple of them, or a dict for %(name)s. Conversions: s r d i f F x X c %; flags "-",
// "+", "0".
Text format_percent(const Text& format, const Value& values);

// Fields {}, {0} and {name}, each with an optional conversion !s or !r and a specification
// [[fill]align][sign][0][width][.precision][s|d|f|F|x|X|%].
Text format_braces(const Text& format, const Arguments& arguments);

}  // namespace tenon::text::jinja
