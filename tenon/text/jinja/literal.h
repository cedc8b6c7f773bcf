// Literals of Jinja's expressions, and the numbers that `int` and `float` read from strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::text::jinja {

struct NumberLiteral {
  size_t size = 0;  // characters read
  bool is_real = false;
  bool overflows = false;
  int64_t integer = 0;
  double real = 0;
};

// The longest number at the start of `text`, which starts with a digit. Behind a dot only integers are read,
// so that x.0.1 is two subscripts.
NumberLiteral parse_number(std::string_view text, bool behind_dot);

// The value of a string literal without its quotes. False for a cut or unknown \x, \u, \U or \N sequence.
bool unescape(std::string_view literal, std::string& out);

// Python's int(text, base) and float(text): surrounding whitespace, a sign and single underscores are
// allowed.
std::optional<int64_t> parse_python_int(std::string_view text, int base);
std::optional<double> parse_python_float(std::string_view text);

}  // namespace tenon::text::jinja
