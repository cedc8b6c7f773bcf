// The 256 characters by which byte-level BPE writes bytes in a vocabulary: printable Latin-1 stands for
// itself, the other bytes, in order, are U+0100, U+0101 … (a space is "Ġ").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::text {

// The character for `byte`, in UTF-8.
std::string_view byte_character(uint8_t byte);

// Each byte of `bytes` as its character.
std::string to_byte_alphabet(std::string_view bytes);

// The bytes that `text` stands for. What is not of the alphabet stays as it is.
std::string from_byte_alphabet(std::string_view text);

}  // namespace tenon::text
