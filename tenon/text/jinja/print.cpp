#include "tenon/text/jinja/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

constexpr int kMaxNesting = 200;

std::string hex_escape(char prefix, char32_t code, size_t digits) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = {'\\', prefix};
  for (size_t i = digits; i-- > 0;) out += kHex[(code >> (4 * i)) & 15];
  return out;
}

// How repr writes one character of a string quoted by `quote`.
std::string repr_character(char32_t code, char32_t quote) {
  if (code == quote || code == '\\') return "\\" + to_utf8(code);
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (is_printable(code)) return to_utf8(code);
  if (code >= kInvalidByte) return hex_escape('x', code - kInvalidByte, 2);
  return code < 0x100     ? hex_escape('x', code, 2)
         : code < 0x10000 ? hex_escape('u', code, 4)
                          : hex_escape('U', code, 8);
}

class ReprWriter {
 public:
  void write(const Value& value) {
    switch (value.kind()) {
      case Kind::kUndefined:
        out_.append("Undefined");
        break;
      case Kind::kNone:
        out_.append("None");
        break;
      case Kind::kBool:
        out_.append(value.boolean() ? "True" : "False");
        break;
      case Kind::kInteger:
        out_.append(std::to_string(value.integer()));
        break;
      case Kind::kReal:
        out_.append(real_to_string(value.real()));
        break;
      case Kind::kString:
        write(value.text());
        break;
      case Kind::kList:
        write(value.list());
        break;
      case Kind::kDict:
        write(value.dict());
        break;
      case Kind::kNamespace:
        out_.append("<Namespace ");
        write(value.name_space().attributes);
        out_.append(">");
        break;
      case Kind::kLoop:
        out_.append("<LoopContext " + std::to_string(value.loop().index + 1) + "/" +
                    std::to_string(value.loop().items.size()) + ">");
        break;
      case Kind::kFunction:
        out_.append("<function " + value.function().name + ">");
        break;
    }
  }

  Text take() { return std::move(out_); }

 private:
  void write(const Text& text) {
    const bool has_single = text.view().find('\'') != std::string_view::npos;
    const bool has_double = text.view().find('"') != std::string_view::npos;
    const char quote = has_single && !has_double ? '"' : '\'';
    out_.append(std::string_view(&quote, 1));
    const auto is_plain = [&](char c) { return c >= 0x20 && c < 0x7f && c != quote && c != '\\'; };
    for (size_t i = 0; i < text.size();) {
      const auto end =
          std::find_if_not(text.view().begin() + i, text.view().end(), is_plain) - text.view().begin();
      out_.append_slice(text, i, static_cast<size_t>(end));
      i = static_cast<size_t>(end);
      if (i == text.size()) break;
      const Character character = decode(text.view(), i);
      out_.append(repr_character(character.code, static_cast<char32_t>(quote)), text.origin_at(i));
      i += character.size;
    }
    out_.append(std::string_view(&quote, 1));
  }

  void write(const List& list) {
    switch (list.flavor) {
      case List::Flavor::kList:
        return write_items(list, "[", "]");
      case List::Flavor::kTuple:
        return write_items(list, "(", list.items.size() == 1 ? ",)" : ")");
      case List::Flavor::kRange:
        return write_range(list);
      case List::Flavor::kIterator:
        return out_.append("<generator object>");
      case List::Flavor::kKeys:
        return write_items(list, "dict_keys([", "])");
      case List::Flavor::kValues:
        return write_items(list, "dict_values([", "])");
      case List::Flavor::kItems:
        return write_items(list, "dict_items([", "])");
    }
  }

  void write_items(const List& list, std::string_view open, std::string_view close) {
    enter();
    out_.append(open);
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) out_.append(", ");
      write(list.items[i]);
    }
    out_.append(close);
    --depth_;
  }

  // A range is kept as its values; the end that it was made with is known up to its step only.
  void write_range(const List& list) {
    const auto value = [&](size_t i) { return list.items[i].integer(); };
    const size_t count = list.items.size();
    const int64_t step = count > 1 ? value(1) - value(0) : 1;
    out_.append("range(" + std::to_string(count > 0 ? value(0) : 0) + ", " +
                std::to_string(count > 0 ? value(count - 1) + step : 0));
    if (step != 1) out_.append(", " + std::to_string(step));
    out_.append(")");
  }

  void write(const Dict& dict) {
    enter();
    out_.append("{");
    for (size_t i = 0; i < dict.entries.size(); ++i) {
      if (i > 0) out_.append(", ");
      write(dict.entries[i].first);
      out_.append(": ");
      write(dict.entries[i].second);
    }
    out_.append("}");
    --depth_;
  }

  void enter() {
    if (++depth_ > kMaxNesting) fail("maximum recursion depth exceeded while getting the repr of an object");
  }

  Text out_;
  int depth_ = 0;
};

}  // namespace

std::string real_to_string(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // d.ddde±xx with the fewest digits; Python writes the same digits without an exponent from 1e-4 up to 1e16.
  std::array<char, 40> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view written(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const size_t mark = written.find('e');
  const int exponent = std::atoi(std::string(written.substr(mark + 1)).c_str());
  std::string digits;
  for (const char c : written.substr(0, mark)) {
    if (c != '-' && c != '.') digits += c;
  }
  const std::string sign = written.front() == '-' ? "-" : "";
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    std::string tail = std::to_string(std::abs(exponent));
    if (tail.size() < 2) tail.insert(0, "0");
    return sign + digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") +
           (exponent < 0 ? "e-" : "e+") + tail;
  }
  if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  return sign + digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<size_t>(exponent) + 1);
}

Text to_repr(const Value& value) {
  ReprWriter writer;
  writer.write(value);
  return writer.take();
}

Text to_text(const Value& value) {
  if (value.is_string()) return value.text();
  return value.is_undefined() ? Text() : to_repr(value);
}

Text escape_html(const Text& text) {
  Text out;
  if (text.is_markup()) return text;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text.view()[i]) {
      case '&':
        out.append("&amp;", text.origin_at(i));
        break;
      case '<':
        out.append("&lt;", text.origin_at(i));
        break;
      case '>':
        out.append("&gt;", text.origin_at(i));
        break;
      case '\'':
        out.append("&#39;", text.origin_at(i));
        break;
      case '"':
        out.append("&#34;", text.origin_at(i));
        break;
      default:
        out.append_slice(text, i, i + 1);
    }
  }
  out.set_markup(true);
  return out;
}

}  // namespace tenon::text::jinja
