#include "tenon/text/jinja/unicode.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "tenon/text/utf8.h"

namespace tenon::text::jinja {
namespace {

// Every step-th code point from first to last maps to itself + delta.
struct CaseRange {
  char32_t first;
  char32_t last;
  uint32_t step;
  int32_t delta;
};

#include "tenon/text/jinja/case_ranges.inc"

template <size_t N>
char32_t map_case(const CaseRange (&ranges)[N], char32_t code) {
  const CaseRange* range = std::lower_bound(std::begin(ranges), std::end(ranges), code,
                                            [](const CaseRange& r, char32_t c) { return r.last < c; });
  if (range == std::end(ranges) || code < range->first || (code - range->first) % range->step != 0)
    return code;
  return static_cast<char32_t>(static_cast<int32_t>(code) + range->delta);
}

struct CodeRange {
  char32_t first;
  char32_t last;
};

template <size_t N>
bool contains(const CodeRange (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const CodeRange& r) { return r.first <= code && code <= r.last; });
}

// Controls, formats, separators other than the space, surrogates and private use.
constexpr CodeRange kNotPrintable[] = {
    {0x00, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},      {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x1680, 0x1680},
    {0x180e, 0x180e},    {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},   {0x3000, 0x3000},
    {0xd800, 0xf8ff},    {0xfeff, 0xfeff},   {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd},
    {0x110cd, 0x110cd},  {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff},
    {0xf0000, 0x10ffff},
};

constexpr CodeRange kSpaces[] = {
    {0x09, 0x0d},     {0x1c, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
    {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
};

constexpr CodeRange kLineBreaks[] = {{0x0a, 0x0d}, {0x1c, 0x1e}, {0x85, 0x85}, {0x2028, 0x2029}};

}  // namespace

Character decode(std::string_view text, size_t position) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[position + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const Utf8Sequence sequence = next_sequence(text.substr(position));
  if (sequence.state != Utf8Sequence::State::kValid) return {kInvalidByte + lead, 1};
  char32_t code = lead & (0x7fu >> sequence.bytes);
  for (size_t i = 1; i < sequence.bytes; ++i) code = (code << 6) | (byte(i) & 0x3fu);
  return {code, sequence.bytes};
}

void append_utf8(std::string& out, char32_t code) {
  const auto put = [&](char32_t bits) { out.push_back(static_cast<char>(bits)); };
  if (code >= kInvalidByte) {
    put(code - kInvalidByte);
  } else if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

std::string to_utf8(char32_t code) {
  std::string out;
  append_utf8(out, code);
  return out;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); i += decode(text, i).size) ++count;
  return count;
}

size_t byte_of_character(std::string_view text, size_t index) {
  size_t byte = 0;
  for (; index > 0 && byte < text.size(); --index) byte += decode(text, byte).size;
  return byte;
}

bool is_space(char32_t code) { return contains(kSpaces, code); }
bool is_line_break(char32_t code) { return contains(kLineBreaks, code); }
bool is_printable(char32_t code) { return code < kInvalidByte && !contains(kNotPrintable, code); }
char32_t to_upper(char32_t code) { return map_case(kToUpper, code); }
char32_t to_lower(char32_t code) { return map_case(kToLower, code); }

}  // namespace tenon::text::jinja
