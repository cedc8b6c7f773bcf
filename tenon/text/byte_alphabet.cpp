#include "tenon/text/byte_alphabet.h"

#include <array>
#include <cstddef>

namespace tenon::text {
namespace {

// Every character of the alphabet is below U+0144.
constexpr int kAlphabetEnd = 0x144;

struct Alphabet {
  std::array<uint16_t, 256> character{};        // code point of each byte
  std::array<int16_t, kAlphabetEnd> byte{};     // byte of each code point, or -1
  std::array<std::array<char, 2>, 256> utf8{};  // the characters written out
  std::array<uint8_t, 256> utf8_bytes{};        // 1 or 2
};

constexpr bool stands_for_itself(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
}

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  for (int16_t& byte : alphabet.byte) byte = -1;
  uint16_t next_substitute = 0x100;
  for (int i = 0; i < 256; ++i) {
    const auto index = static_cast<size_t>(i);
    const uint16_t character = stands_for_itself(i) ? static_cast<uint16_t>(i) : next_substitute++;
    alphabet.character[index] = character;
    alphabet.byte[character] = static_cast<int16_t>(i);
    if (character < 0x80) {
      alphabet.utf8[index] = {static_cast<char>(character), 0};
      alphabet.utf8_bytes[index] = 1;
    } else {
      alphabet.utf8[index] = {static_cast<char>(0xC0 | character >> 6),
                              static_cast<char>(0x80 | (character & 0x3F))};
      alphabet.utf8_bytes[index] = 2;
    }
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string_view byte_character(uint8_t byte) {
  return {kAlphabet.utf8[byte].data(), kAlphabet.utf8_bytes[byte]};
}

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) text += byte_character(static_cast<uint8_t>(byte));
  return text;
}

std::string from_byte_alphabet(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const bool two_bytes = lead >= 0xC2 && lead <= 0xC5 && i + 1 < text.size();
    const int character = two_bytes ? (lead & 0x1F) << 6 | (static_cast<uint8_t>(text[i + 1]) & 0x3F) : lead;
    const bool known = (two_bytes || lead < 0x80) && character < kAlphabetEnd;
    const int byte = known ? kAlphabet.byte[static_cast<size_t>(character)] : -1;
    if (byte < 0) {
      bytes.push_back(text[i]);
      continue;
    }
    bytes.push_back(static_cast<char>(byte));
    i += two_bytes ? 1 : 0;
  }
  return bytes;
}

}  // namespace tenon::text
