// json.dumps of a template value.
#include <algorithm>
#include <cmath>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

constexpr int kMaxNesting = 200;

std::string utf16_escape(uint32_t unit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[(unit >> shift) & 15];
  return out;
}

std::string json_character(char32_t code, bool ensure_ascii) {
  switch (code) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\f':
      return "\\f";
    case '\b':
      return "\\b";
    default:
      break;
  }
  if (code < 0x20) return utf16_escape(code);
  if (!ensure_ascii || code < 0x7f || code >= kInvalidByte) return to_utf8(code);
  if (code < 0x10000) return utf16_escape(code);
  const uint32_t rest = code - 0x10000;
  return utf16_escape(0xd800 + (rest >> 10)) + utf16_escape(0xdc00 + (rest & 0x3ff));
}

std::string json_number(const Value& value) {
  if (!value.is(Kind::kReal)) return std::to_string(value.integer());
  if (std::isnan(value.real())) return "NaN";
  if (std::isinf(value.real())) return value.real() < 0 ? "-Infinity" : "Infinity";
  return real_to_string(value.real());
}

class JsonWriter {
 public:
  explicit JsonWriter(const JsonStyle& style) : style_(style) {}

  void write(const Value& value) {
    switch (value.kind()) {
      case Kind::kNone:
        out_.append("null");
        return;
      case Kind::kBool:
        out_.append(value.boolean() ? "true" : "false");
        return;
      case Kind::kInteger:
      case Kind::kReal:
        out_.append(json_number(value));
        return;
      case Kind::kString:
        write(value.text());
        return;
      case Kind::kDict:
        write(value.dict());
        return;
      case Kind::kList:
        if (value.list().flavor > List::Flavor::kTuple) break;
        write(value.list().items);
        return;
      default:
        break;
    }
    fail("Object of type " + std::string(type_name(value)) + " is not JSON serializable");
  }

  Text take() { return std::move(out_); }

 private:
  void write(const Text& text) {
    out_.append("\"");
    const auto is_plain = [&](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return byte >= 0x20 && c != '"' && c != '\\' && (byte < 0x7f || !style_.ensure_ascii);
    };
    for (size_t i = 0; i < text.size();) {
      const auto end =
          std::find_if_not(text.view().begin() + i, text.view().end(), is_plain) - text.view().begin();
      out_.append_slice(text, i, static_cast<size_t>(end));
      i = static_cast<size_t>(end);
      if (i == text.size()) break;
      const Character character = decode(text.view(), i);
      out_.append(json_character(character.code, style_.ensure_ascii), text.origin_at(i));
      i += character.size;
    }
    out_.append("\"");
  }

  void write_key(const Value& key) {
    if (key.is_string()) {
      write(key.text());
    } else if (key.is_number() || key.is_none()) {
      out_.append("\"");
      write(key);
      out_.append("\"");
    } else {
      fail("keys must be str, int, float, bool or None, not " + std::string(type_name(key)));
    }
    out_.append(style_.key_separator);
  }

  void write(const std::vector<Value>& items) {
    write_group("[", "]", items, [&](const Value& item) { write(item); });
  }

  void write(const Dict& dict) {
    auto entries = dict.entries;
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(),
                       [](const auto& a, const auto& b) { return compare(a.first, b.first) < 0; });
    }
    write_group("{", "}", entries, [&](const auto& entry) {
      write_key(entry.first);
      write(entry.second);
    });
  }

  template <class Elements, class Write>
  void write_group(std::string_view open, std::string_view close, const Elements& elements,
                   const Write& write_one) {
    if (++depth_ > kMaxNesting) fail("maximum recursion depth exceeded while encoding a JSON object");
    out_.append(open);
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out_.append(style_.item_separator);
      first = false;
      break_line(depth_);
      write_one(element);
    }
    --depth_;
    if (!first) break_line(depth_);
    out_.append(close);
  }

  void break_line(int level) {
    if (!style_.multi_line) return;
    out_.append("\n");
    for (int i = 0; i < level; ++i) out_.append(style_.indent);
  }

  const JsonStyle& style_;
  Text out_;
  int depth_ = 0;
};

}  // namespace

Text to_json(const Value& value, const JsonStyle& style) {
  JsonWriter writer(style);
  writer.write(value);
  return writer.take();
}

}  // namespace tenon::text::jinja
