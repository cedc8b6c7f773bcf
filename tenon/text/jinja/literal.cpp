#include "tenon/text/jinja/literal.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const int letter = std::tolower(static_cast<unsigned char>(c));
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 36;
}

// End of digits of `base` from `at`, single underscores between them included.
size_t skip_digits(std::string_view text, size_t at, int base) {
  const auto digit_at = [&](size_t i) { return i < text.size() && digit_value(text[i]) < base; };
  while (digit_at(at) ||
         (at < text.size() && text[at] == '_' && at > 0 && text[at - 1] != '_' && digit_at(at + 1)))
    ++at;
  return at;
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

// End of the fraction and exponent that follow the digits at `digits_end`; digits_end when there are none.
size_t skip_real_part(std::string_view text, size_t digits_end) {
  size_t end = digits_end;
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]))
    end = skip_digits(text, end + 1, 10);
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    const size_t sign = end + 1 < text.size() && (text[end + 1] == '+' || text[end + 1] == '-') ? 1 : 0;
    if (end + 1 + sign < text.size() && is_digit(text[end + 1 + sign]))
      end = skip_digits(text, end + 1 + sign, 10);
  }
  return end;
}

std::optional<int64_t> to_integer(std::string_view digits, int base) {
  const std::string plain = without_underscores(digits);
  int64_t value = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value, base);
  if (read.ec != std::errc() || read.ptr != plain.data() + plain.size()) return std::nullopt;
  return value;
}

double to_real(const std::string& plain) {
  double value = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  const bool tiny = plain.find("e-") != std::string::npos || plain.find("E-") != std::string::npos;
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

int prefix_base(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 10;
  switch (std::tolower(static_cast<unsigned char>(text[1]))) {
    case 'b':
      return 2;
    case 'o':
      return 8;
    case 'x':
      return 16;
    default:
      return 10;
  }
}

std::string_view trim(std::string_view text) {
  size_t begin = 0;
  while (begin < text.size() && is_space(decode(text, begin).code)) begin += decode(text, begin).size;
  size_t end = begin;
  for (size_t at = begin; at < text.size();) {
    const Character character = decode(text, at);
    at += character.size;
    if (!is_space(character.code)) end = at;
  }
  return text.substr(begin, end - begin);
}

bool underscores_separate_digits(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto alnum = [&](size_t k) {
      return k < text.size() && std::isalnum(static_cast<unsigned char>(text[k])) != 0;
    };
    if (text[i] == '_' && (i == 0 || !alnum(i - 1) || !alnum(i + 1))) return false;
  }
  return true;
}

// Reads `digits` hex digits at `at`; nullopt when there are fewer.
std::optional<char32_t> read_hex(std::string_view text, size_t at, size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  char32_t code = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int value = digit_value(text[at + i]);
    if (value >= 16) return std::nullopt;
    code = code * 16 + static_cast<char32_t>(value);
  }
  return code;
}

}  // namespace

NumberLiteral parse_number(std::string_view text, bool behind_dot) {
  NumberLiteral number;
  const size_t digits_end = skip_digits(text, 0, 10);
  const size_t real_end = behind_dot ? digits_end : skip_real_part(text, digits_end);
  if (real_end > digits_end) {
    number.size = real_end;
    number.is_real = true;
    number.real = to_real(without_underscores(text.substr(0, real_end)));
    return number;
  }
  const int base = prefix_base(text);
  const size_t prefix = base == 10 ? 0 : 2;
  number.size = skip_digits(text, prefix, base);
  if (number.size == prefix && prefix > 0) number.size = 1;  // "0x" without digits is 0, then a name
  if (text[0] == '0' && base == 10) {                        // "012" is 0, then 12
    number.size = std::min(text.find_first_not_of("0_"), text.size());
    while (text[number.size - 1] == '_') --number.size;
  }
  const std::string_view digits = number.size > prefix ? text.substr(prefix, number.size - prefix) : "0";
  const auto value = to_integer(digits, number.size > prefix ? base : 10);
  number.overflows = !value.has_value();
  number.integer = value.value_or(0);
  return number;
}

bool unescape(std::string_view literal, std::string& out) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  for (size_t i = 0; i < literal.size();) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      out += literal[i++];
      continue;
    }
    const char c = literal[i + 1];
    i += 2;
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      out += kMeanings[letter];
    } else if (c == 'x' || c == 'u' || c == 'U') {
      const size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      const auto code = read_hex(literal, i, digits);
      if (!code || *code > 0x10ffff) return false;
      append_utf8(out, *code);
      i += digits;
    } else if (c >= '0' && c <= '7') {
      char32_t code = static_cast<char32_t>(c - '0');
      for (size_t end = i + 2; i < end && i < literal.size() && literal[i] >= '0' && literal[i] <= '7'; ++i) {
        code = code * 8 + static_cast<char32_t>(literal[i] - '0');
      }
      append_utf8(out, code);
    } else if (c == 'N') {
      return false;          // names of characters
    } else if (c != '\n') {  // a backslash before a newline joins the lines; any other one stays
      out += '\\';
      out += c;
    }
  }
  return true;
}

std::optional<int64_t> parse_python_int(std::string_view text, int base) {
  text = trim(text);
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  const int prefixed = prefix_base(text);
  if (prefixed != 10 && (base == prefixed || base == 0)) {
    text.remove_prefix(2);
    base = prefixed;
  } else if (base == 0) {
    base = 10;
  }
  if (base < 2 || base > 36 || !underscores_separate_digits(text)) return std::nullopt;
  // The sign goes in before the conversion: -2^63 has no positive counterpart.
  if (text.empty() || text[0] == '-') return std::nullopt;
  return to_integer((negative ? "-" : "") + std::string(text), base);
}

std::optional<double> parse_python_float(std::string_view text) {
  text = trim(text);
  if (!underscores_separate_digits(text)) return std::nullopt;
  std::string plain = without_underscores(text);
  if (!plain.empty() && plain[0] == '+') plain.erase(0, 1);
  if (plain.empty() || plain[0] == '+') return std::nullopt;
  std::transform(plain.begin(), plain.end(), plain.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (plain.find('(') != std::string::npos) return std::nullopt;  // from_chars would take nan(...)
  double value = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (read.ptr != plain.data() + plain.size() || plain == "-") return std::nullopt;
  if (read.ec == std::errc::result_out_of_range) return to_real(plain);
  return read.ec == std::errc() ? std::optional<double>(value) : std::nullopt;
}

}  // namespace tenon::text::jinja
