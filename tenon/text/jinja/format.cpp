#include "tenon/text/jinja/format.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

constexpr size_t kMaxWidth = 10'000;
constexpr size_t kMaxPrecision = 300;

struct Style {
  std::string fill = " ";
  char align = '\0';  // '<', '>', '^', '=' (between sign and digits); '\0': by type
  bool plus = false;
  size_t width = 0;
  std::optional<size_t> precision;
  char type = '\0';
};

std::string real_digits(double value, size_t precision, bool percent) {
  if (!std::isfinite(value)) return real_to_string(value) + (percent ? "%" : "");
  std::array<char, 800> buffer;
  const int size = std::snprintf(buffer.data(), buffer.size(), "%.*f", static_cast<int>(precision),
                                 percent ? value * 100 : value);
  return std::string(buffer.data(), static_cast<size_t>(size)) + (percent ? "%" : "");
}

std::string hex_digits(int64_t value, bool upper) {
  std::array<char, 20> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16);
  std::string digits(buffer.data(), end.ptr);
  for (char& c : digits) c = upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
  return digits;
}

std::string number_digits(const Value& value, const Style& style) {
  switch (style.type) {
    case 'f':
    case 'F':
      return real_digits(value.real(), style.precision.value_or(6), false);
    case '%':
      return real_digits(value.real(), style.precision.value_or(6), true);
    case 'x':
    case 'X':
      return hex_digits(value.integer(), style.type == 'X');
    default:
      return to_text(value).take_bytes();
  }
}

Text pad(const Text& body, const Style& style, char default_align) {
  const size_t size = count_characters(body.view());
  if (size >= style.width) return body;
  const size_t missing = style.width - size;
  const char align = style.align == '\0' ? default_align : style.align;
  const bool signed_body = align == '=' && !body.empty() && (body.view()[0] == '-' || body.view()[0] == '+');
  const size_t sign = signed_body ? 1 : 0;
  const size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  Text out = body.slice(0, sign);
  for (size_t i = 0; i < before; ++i) out.append(style.fill);
  out.append_slice(body, sign, body.size());
  for (size_t i = before; i < missing; ++i) out.append(style.fill);
  return out;
}

Text apply_style(const Value& value, const Style& style) {
  const bool as_number = style.type != '\0' && style.type != 's';
  if (as_number && !value.is_number()) fail("a number is required, not " + std::string(type_name(value)));
  if (as_number && value.is(Kind::kReal) &&
      std::string_view("dxX").find(style.type) != std::string_view::npos) {
    fail("an integer is required, not float");
  }
  const bool plain_number = style.type == '\0' && value.is_number() && !value.is(Kind::kBool);
  if (as_number || plain_number) {
    const Value integer = value.is(Kind::kBool) ? Value(value.integer()) : value;
    Text digits(number_digits(integer, style));
    if (!style.plus || digits.view()[0] == '-') return pad(digits, style, '>');
    Text with_sign("+");
    with_sign.append(digits);
    return pad(with_sign, style, '>');
  }
  Text text = to_text(value);
  if (style.precision) text = text.slice(0, byte_of_character(text.view(), *style.precision));
  return pad(text, style, '<');
}

// A cursor over a format string.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool done() const { return at_ >= text_.size(); }
  size_t position() const { return at_; }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char take() { return done() ? '\0' : text_[at_++]; }
  bool skip(char c) { return peek() == c && !done() && (++at_, true); }
  std::string_view take_until(std::string_view stops) {
    const size_t end = std::min(text_.find_first_of(stops, at_), text_.size());
    const std::string_view taken = text_.substr(at_, end - at_);
    at_ = end;
    return taken;
  }
  std::optional<size_t> take_number(size_t limit) {
    if (std::isdigit(static_cast<unsigned char>(peek())) == 0) return std::nullopt;
    size_t number = 0;
    while (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
      number = number * 10 + static_cast<size_t>(take() - '0');
      if (number > limit) fail("a format width or precision above " + std::to_string(limit));
    }
    return number;
  }
  void take_precision(Style& style) {
    if (skip('.')) style.precision = take_number(kMaxPrecision).value_or(0);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

Style parse_specification(std::string_view text) {
  Style style;
  const auto is_align = [&](size_t at) {
    return at < text.size() && std::string_view("<>^=").find(text[at]) < 4;
  };
  const size_t fill_size = text.empty() ? 0 : decode(text, 0).size;
  if (is_align(fill_size) && fill_size > 0) {
    style.fill = text.substr(0, fill_size);
    style.align = text[fill_size];
    text.remove_prefix(fill_size + 1);
  } else if (is_align(0)) {
    style.align = text[0];
    text.remove_prefix(1);
  }
  Reader reader(text);
  style.plus = reader.skip('+');
  if (!style.plus) reader.skip('-');
  if (reader.skip('0') && style.align == '\0') {
    style.fill = "0";
    style.align = '=';
  }
  style.width = reader.take_number(kMaxWidth).value_or(0);
  reader.take_precision(style);
  style.type = reader.take();
  const bool known =
      style.type == '\0' || std::string_view("sdfFxX%").find(style.type) != std::string_view::npos;
  if (!known || !reader.done()) fail("unsupported format specification '" + std::string(text) + "'");
  return style;
}

const Value& find_field(std::string_view name, const Arguments& arguments, size_t& next_position) {
  size_t position = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), position);
  if (name.empty()) position = next_position++;
  if (name.empty() || (read.ec == std::errc() && read.ptr == name.data() + name.size())) {
    if (position >= arguments.positional.size())
      fail("Replacement index out of range for positional args tuple");
    return arguments.positional[position];
  }
  for (const auto& [key, value] : arguments.named) {
    if (key == name) return value;
  }
  fail("format field '" + std::string(name) + "' was not given");
}

// What the % operator takes its values from.
class PercentValues {
 public:
  explicit PercentValues(const Value& values)
      : values_(values), is_tuple_(values.is(Kind::kList) && values.list().flavor == List::Flavor::kTuple) {}

  const Value& next() {
    const size_t count = is_tuple_ ? values_.list().items.size() : 1;
    if (used_ >= count) fail("not enough arguments for format string");
    return is_tuple_ ? values_.list().items[used_++] : (++used_, values_);
  }

  const Value& named(std::string_view name) {
    named_ = true;
    if (!values_.is(Kind::kDict)) fail("format requires a mapping");
    const Value* value = values_.dict().find(name);
    if (value == nullptr) fail("format field '" + std::string(name) + "' was not given");
    return *value;
  }

  void expect_all_used() const {
    const bool may_be_left = named_ || values_.is(Kind::kDict) || (values_.is(Kind::kList) && !is_tuple_);
    const size_t count = is_tuple_ ? values_.list().items.size() : 1;
    if (!may_be_left && used_ < count) fail("not all arguments converted during string formatting");
  }

 private:
  const Value& values_;
  bool is_tuple_;
  bool named_ = false;
  size_t used_ = 0;
};

Text format_conversion(Reader& reader, PercentValues& values) {
  std::optional<std::string_view> name;
  if (reader.skip('(')) {
    name = reader.take_until(")");
    reader.take();
  }
  Style style;
  bool left = false;
  bool zero = false;
  for (char flag = reader.peek(); flag != '\0' && std::string_view("-+0 #").find(flag) < 5;
       flag = reader.peek()) {
    reader.take();
    left |= flag == '-';
    zero |= flag == '0';
    style.plus |= flag == '+';
  }
  style.width = reader.take_number(kMaxWidth).value_or(0);
  reader.take_precision(style);
  const char type = reader.take();
  if (type == '%') return Text("%");
  if (type == '\0') fail("incomplete format");
  const Value& value = name ? values.named(*name) : values.next();
  const bool is_text = type == 's' || type == 'r' || type == 'c';
  style.align = left ? '<' : zero && !is_text ? '=' : '>';
  if (zero && !left && !is_text) style.fill = "0";
  style.type = is_text ? 's' : type == 'i' || type == 'u' ? 'd' : type;
  if (std::string_view("sdfFxX").find(style.type) == std::string_view::npos) {
    fail("unsupported format character '" + std::string(1, type) + "'");
  }
  if (type == 'r') return apply_style(Value(to_repr(value)), style);
  if (style.type == 'd' && value.is(Kind::kReal)) {
    if (!(std::abs(value.real()) < 9e18)) fail("an integer beyond 64 bits");
    return apply_style(Value(static_cast<int64_t>(value.real())), style);
  }
  return apply_style(value, style);
}

}  // namespace

Text format_percent(const Text& format, const Value& values) {
  Text out;
  Reader reader(format.view());
  PercentValues source(values);
  while (!reader.done()) {
    const size_t begin = reader.position();
    reader.take_until("%");
    out.append_slice(format, begin, reader.position());
    if (reader.skip('%')) out.append(format_conversion(reader, source));
  }
  source.expect_all_used();
  return out;
}

Text format_braces(const Text& format, const Arguments& arguments) {
  Text out;
  Reader reader(format.view());
  size_t next_position = 0;
  while (!reader.done()) {
    const size_t begin = reader.position();
    reader.take_until("{}");
    out.append_slice(format, begin, reader.position());
    if (reader.done()) break;
    const char brace = reader.take();
    if (reader.skip(brace)) {
      out.append(std::string_view(&brace, 1));
      continue;
    }
    if (brace == '}') fail("Single '}' encountered in format string");
    const std::string_view name = reader.take_until("!:}{");
    const bool as_repr = reader.skip('!') && reader.take() == 'r';
    const std::string_view specification = reader.skip(':') ? reader.take_until("}{") : "";
    if (!reader.skip('}')) fail("expected '}' before end of string");
    const Value& value = find_field(name, arguments, next_position);
    out.append(apply_style(as_repr ? Value(to_repr(value)) : value, parse_specification(specification)));
  }
  return out;
}

}  // namespace tenon::text::jinja
