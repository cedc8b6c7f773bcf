// A template's source as tokens, with Jinja's whitespace control applied as chat templates expect it:
// trim_blocks and lstrip_blocks are on, and one newline at the end of the source is dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::text::jinja {

enum class TokenKind {
  kData,           // text to print as it is
  kVariableBegin,  // {{
  kVariableEnd,    // }}
  kBlockBegin,     // {%
  kBlockEnd,       // %}
  kName,
  kString,
  kInteger,
  kReal,
  kOperator,
  kEnd,  // of the template
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // data, name, operator, or a string literal's value
  int line = 1;
  int64_t integer = 0;
  double real = 0;
};

// What a message calls the token, e.g. "name 'endif'".
std::string describe(const Token& token);

// Comments are gone and raw blocks are data; the last token is kEnd. Throws Failure.
std::vector<Token> tokenize(std::string_view source);

}  // namespace tenon::text::jinja
