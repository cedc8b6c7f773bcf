#include "tenon/text/marked_text.h"

namespace tenon::text {
namespace {

constexpr std::string_view kSpaceMark = "\xE2\x96\x81";  // U+2581

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from)) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

}  // namespace

std::string with_space_marks(std::string_view text) { return replace_all(text, " ", kSpaceMark); }

std::string with_spaces(std::string_view text) { return replace_all(text, kSpaceMark, " "); }

std::optional<char> spelt_byte(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  int value = 0;
  for (const char digit : text.substr(3, 2)) {
    const size_t at = std::string_view("0123456789ABCDEFabcdef").find(digit);
    if (at == std::string_view::npos) return std::nullopt;
    value = 16 * value + static_cast<int>(at < 16 ? at : at - 6);
  }
  return static_cast<char>(value);
}

std::array<int32_t, 256> find_byte_tokens(const FindToken& find_token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::array<int32_t, 256> tokens{};
  for (size_t byte = 0; byte < tokens.size(); ++byte) {
    const char spelt[] = {'<', '0', 'x', kDigits[byte >> 4], kDigits[byte & 15], '>'};
    const char itself = static_cast<char>(byte);
    auto token = find_token({spelt, sizeof spelt});
    if (!token) token = find_token({&itself, 1});
    tokens[byte] = token.value_or(-1);
  }
  return tokens;
}

size_t character_bytes(char first) {
  const auto byte = static_cast<uint8_t>(first);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

}  // namespace tenon::text
