// What Python's str knows about characters, on UTF-8 bytes. A byte that is not part of valid UTF-8 counts as
// one character of its own, so every byte string has a well-defined length and can be sliced.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::text::jinja {

struct Character {
  char32_t code = 0;  // kInvalidByte + byte for a byte that is not UTF-8
  size_t size = 1;    // bytes
};

inline constexpr char32_t kInvalidByte = 0x110000;

// The character that starts at `position`, which must lie inside `text`.
Character decode(std::string_view text, size_t position);
void append_utf8(std::string& out, char32_t code);
std::string to_utf8(char32_t code);

size_t count_characters(std::string_view text);
// Byte position of character `index`; text.size() when there are fewer.
size_t byte_of_character(std::string_view text, size_t index);

bool is_space(char32_t code);       // str.isspace
bool is_line_break(char32_t code);  // where str.splitlines splits
bool is_printable(char32_t code);   // what repr shows as it is; unassigned code points are taken as printable
char32_t to_upper(char32_t code);   // simple mappings: one character to one
char32_t to_lower(char32_t code);
inline bool is_upper(char32_t code) { return to_lower(code) != code; }
inline bool is_lower(char32_t code) { return to_upper(code) != code; }

}  // namespace tenon::text::jinja
