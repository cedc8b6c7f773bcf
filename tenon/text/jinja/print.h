// Values as text: Python's str and repr, and json.dumps.
#pragma once

#include <string>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

// Python's str(value). The bytes of a string keep their origin, also inside a list or dict.
Text to_text(const Value& value);
Text to_repr(const Value& value);
// Shortest digits that give the number back, written as Python writes them ("1.0", "1e+16", "nan").
std::string real_to_string(double value);

struct JsonStyle {
  bool ensure_ascii = false;
  bool multi_line = false;  // one element per line, indented by `indent` for each level
  Text indent;
  Text item_separator = Text(", ");
  Text key_separator = Text(": ");
  bool sort_keys = false;
};

// json.dumps(value). Fails for what JSON cannot say, e.g. an undefined value.
Text to_json(const Value& value, const JsonStyle& style);

// `text` with &, <, >, ' and " as HTML entities; what is markup already stays as it is. The result is markup.
Text escape_html(const Text& text);

}  // namespace tenon::text::jinja
