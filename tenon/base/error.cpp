#include "tenon/base/error.h"

namespace tenon {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kInvalidFile:
      return "invalid file";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kInvalidGraph:
      return "invalid graph";
    case ErrorCode::kContextFull:
      return "context full";
    case ErrorCode::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

namespace {

// Length of the printable UTF-8 sequence that starts at text[i], or 0.
size_t utf8_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  size_t length = lead < 0x80 ? 1 : (lead >> 5) == 6 ? 2 : (lead >> 4) == 14 ? 3 : (lead >> 3) == 30 ? 4 : 0;
  if (length == 0 || i + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k) {
    if ((byte(i + k) >> 6) != 2) return 0;
  }
  const bool overlong_or_outside =
      lead == 0xc0 || lead == 0xc1 || lead > 0xf4 || (lead == 0xe0 && byte(i + 1) < 0xa0) ||
      (lead == 0xed && byte(i + 1) > 0x9f) || (lead == 0xf0 && byte(i + 1) < 0x90) ||
      (lead == 0xf4 && byte(i + 1) > 0x8f);
  const bool control = lead == 0xc2 && byte(i + 1) < 0xa0;  // U+0080 to U+009F steer terminals
  return overlong_or_outside || control ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const size_t length = utf8_length(text, i);
    if (length == 0 || byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
      ++i;
    } else {
      out.append(text, i, length);
      i += length;
    }
  }
  return out;
}

std::string Error::message() const {
  std::string out = where.empty() ? std::string(error_code_name(code)) : printable(where);
  if (!wanted.empty()) out += ": wanted " + printable(wanted);
  if (!found.empty()) out += (wanted.empty() ? ": " : ", found ") + printable(found);
  if (!remedy.empty()) out += " (" + printable(remedy) + ")";
  return out;
}

}  // namespace tenon
