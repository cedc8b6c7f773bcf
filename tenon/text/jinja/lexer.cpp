#include "tenon/text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/literal.h"
#include "tenon/text/jinja/unicode.h"

namespace tenon::text::jinja {
namespace {

// \r\n and \r become \n; the last newline of the source is not part of the template.
std::string normalize(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
    } else {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    const Character character = decode(text, at);
    if (!is_space(character.code)) break;
    at += character.size;
  }
  return at;
}

bool all_space(std::string_view text) { return skip_space(text, 0) == text.size(); }

// Length of `text` without the whitespace at its end.
size_t length_without_trailing_space(std::string_view text) {
  size_t kept = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    at += character.size;
    if (!is_space(character.code)) kept = at;
  }
  return kept;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalize(source)) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) read_data();
    emit(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return std::string_view(source_).substr(at_); }
  bool next_is(std::string_view text) const { return rest().substr(0, text.size()) == text; }

  void advance(size_t to) {
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  void emit(TokenKind kind, std::string_view text) { tokens_.push_back({kind, std::string(text), line_}); }

  [[noreturn]] void fail_here(std::string wanted, std::string found) const {
    throw Failure{ErrorCode::kInvalidFile, std::move(wanted), std::move(found), line_};
  }

  // Position of the next {{, {% or {#, or the end.
  size_t find_tag(size_t from) const {
    for (size_t at = source_.find('{', from); at != std::string::npos; at = source_.find('{', at + 1)) {
      if (at + 1 < source_.size() && std::string_view("{%#").find(source_[at + 1]) != std::string_view::npos)
        return at;
    }
    return source_.size();
  }

  char sign_at(size_t at) const {
    return at < source_.size() && (source_[at] == '-' || source_[at] == '+') ? source_[at] : '\0';
  }

  // Text from the current position up to a tag, stripped as the tag's sign and lstrip_blocks ask.
  void emit_data_before(size_t tag, char sign, bool is_variable) {
    std::string_view data = std::string_view(source_).substr(at_, tag - at_);
    if (sign == '-') {
      data = data.substr(0, length_without_trailing_space(data));
    } else if (sign != '+' && !is_variable) {
      const size_t newline = data.rfind('\n');
      const bool line_starts_here = at_ == 0 || source_[at_ - 1] == '\n';
      const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
      if ((line_begin > 0 || line_starts_here) && all_space(data.substr(line_begin)))
        data = data.substr(0, line_begin);
    }
    if (!data.empty()) emit(TokenKind::kData, data);
    advance(tag);
  }

  void read_data() {
    const size_t tag = find_tag(at_);
    if (tag == source_.size()) {
      emit(TokenKind::kData, rest());
      return advance(tag);
    }
    const char kind = source_[tag + 1];
    const char sign = sign_at(tag + 2);
    emit_data_before(tag, sign, kind == '{');
    const size_t inside = tag + (sign == '\0' ? 2 : 3);
    if (kind == '#') return skip_comment(inside);
    if (kind == '%' && try_read_raw(inside)) return;
    emit(kind == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, "");
    advance(inside);
    read_code(kind == '{' ? "}}" : "%}", kind == '{' ? TokenKind::kVariableEnd : TokenKind::kBlockEnd);
  }

  // Behind the closing mark at `at`: "-" before it eats all whitespace, none before it the newline
  // (trim_blocks).
  size_t after_close(size_t at, std::string_view close, char sign, bool trims_newline) const {
    const size_t end = at + close.size();
    if (sign == '-') return skip_space(source_, end);
    return trims_newline && sign == '\0' && end < source_.size() && source_[end] == '\n' ? end + 1 : end;
  }

  void skip_comment(size_t inside) {
    const size_t close = source_.find("#}", inside);
    if (close == std::string::npos) fail_here("'#}' at the end of the comment", "the end of the template");
    const char sign = close > inside ? sign_at(close - 1) : '\0';
    advance(after_close(close, "#}", sign, true));
  }

  // Matches "name" and a closing %} behind `at`; returns the position behind them, or npos.
  size_t match_bare_block(size_t at, std::string_view name, bool trims_newline) const {
    at = skip_space(source_, at);
    if (source_.compare(at, name.size(), name) != 0) return std::string::npos;
    at = skip_space(source_, at + name.size());
    const char sign = sign_at(at);
    if (sign != '\0') ++at;
    return source_.compare(at, 2, "%}") == 0 ? after_close(at, "%}", sign, trims_newline) : std::string::npos;
  }

  bool try_read_raw(size_t inside) {
    const size_t body = match_bare_block(inside, "raw", false);
    if (body == std::string::npos) return false;
    advance(body);
    for (size_t tag = source_.find("{%", body); tag != std::string::npos; tag = source_.find("{%", tag + 1)) {
      const char sign = sign_at(tag + 2);
      const size_t end = match_bare_block(tag + (sign == '\0' ? 2 : 3), "endraw", true);
      if (end == std::string::npos) continue;
      emit_data_before(tag, sign, false);
      advance(end);
      return true;
    }
    fail_here("{% endraw %}", "the end of the template");
  }

  void read_code(std::string_view close, TokenKind close_kind) {
    const bool is_block = close_kind == TokenKind::kBlockEnd;
    open_brackets_.clear();
    while (at_ < source_.size()) {
      if (open_brackets_.empty()) {
        const char sign = sign_at(at_) != '+' || is_block ? sign_at(at_) : '\0';
        const size_t mark = at_ + (sign == '\0' ? 0 : 1);
        if (source_.compare(mark, close.size(), close) == 0) {
          emit(close_kind, "");
          return advance(after_close(mark, close, sign, is_block));
        }
      }
      read_token();
    }
    fail_here("'" + std::string(close) + "'", "the end of the template");
  }

  void read_token() {
    const size_t after_space = skip_space(source_, at_);
    if (after_space > at_) return advance(after_space);
    const auto c = static_cast<unsigned char>(source_[at_]);
    if (std::isdigit(c) != 0) return read_number();
    if (std::isalpha(c) != 0 || c == '_') return read_name();
    if (c == '\'' || c == '"') return read_string();
    read_operator();
  }

  void read_number() {
    Token token;
    token.line = line_;
    const NumberLiteral number = parse_number(rest(), at_ > 0 && source_[at_ - 1] == '.');
    if (number.overflows)
      fail_here("a number that fits into 64 bits", std::string(rest().substr(0, number.size)));
    token.kind = number.is_real ? TokenKind::kReal : TokenKind::kInteger;
    token.text = rest().substr(0, number.size);
    token.integer = number.integer;
    token.real = number.real;
    tokens_.push_back(std::move(token));
    advance(at_ + number.size);
  }

  void read_name() {
    size_t end = at_;
    while (end < source_.size() &&
           (std::isalnum(static_cast<unsigned char>(source_[end])) != 0 || source_[end] == '_')) {
      ++end;
    }
    emit(TokenKind::kName, std::string_view(source_).substr(at_, end - at_));
    advance(end);
  }

  void read_string() {
    const char quote = source_[at_];
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail_here(std::string("a closing ") + quote, "the end of the template");
    std::string value;
    if (!unescape(std::string_view(source_).substr(at_ + 1, end - at_ - 1), value)) {
      fail_here("valid escape sequences", source_.substr(at_, end + 1 - at_));
    }
    emit(TokenKind::kString, value);
    advance(end + 1);
  }

  void read_operator() {
    static constexpr std::array<std::string_view, 26> kOperators = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    const auto* found =
        std::find_if(kOperators.begin(), kOperators.end(), [&](auto op) { return next_is(op); });
    if (found == kOperators.end()) {
      fail_here("an expression",
                "the character '" + std::string(rest().substr(0, decode(source_, at_).size)) + "'");
    }
    track_bracket(found->front());
    emit(TokenKind::kOperator, *found);
    advance(at_ + found->size());
  }

  // A closing mark inside brackets is not one: {{ {'a': {}}}} ends at the last two braces.
  void track_bracket(char c) {
    static constexpr std::string_view kOpen = "([{";
    static constexpr std::string_view kClose = ")]}";
    if (const size_t i = kOpen.find(c); i != std::string_view::npos) {
      open_brackets_ += kClose[i];
    } else if (kClose.find(c) != std::string_view::npos) {
      const std::string wanted =
          open_brackets_.empty() ? "no closing bracket" : std::string(1, open_brackets_.back());
      if (wanted[0] != c) fail_here(wanted, std::string(1, c));
      open_brackets_.pop_back();
    }
  }

  const std::string source_;
  size_t at_ = 0;
  int line_ = 1;
  std::string open_brackets_;  // the closing bracket of each open one
  std::vector<Token> tokens_;
};

}  // namespace

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kData:
      return "text";
    case TokenKind::kVariableBegin:
      return "'{{'";
    case TokenKind::kVariableEnd:
      return "'}}'";
    case TokenKind::kBlockBegin:
      return "'{%'";
    case TokenKind::kBlockEnd:
      return "'%}'";
    case TokenKind::kName:
      return "name '" + token.text + "'";
    case TokenKind::kString:
      return "string '" + token.text + "'";
    case TokenKind::kInteger:
    case TokenKind::kReal:
      return "number " + token.text;
    case TokenKind::kOperator:
      return "'" + token.text + "'";
    case TokenKind::kEnd:
      return "the end of the template";
  }
  return "";
}

std::vector<Token> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace tenon::text::jinja
