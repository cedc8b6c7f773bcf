// A cursor over tokens, with the questions and demands that a recursive-descent parser has.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/lexer.h"

namespace tenon::text::jinja {

class TokenStream {
 public:
  explicit TokenStream(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  // The one after the current token; the end repeats.
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  int line() const { return current().line; }

  bool at(TokenKind kind) const { return current().kind == kind; }
  bool at_name(std::string_view name) const { return is(current(), TokenKind::kName, name); }
  bool at_operator(std::string_view op) const { return is(current(), TokenKind::kOperator, op); }
  bool next_is_name(std::string_view name) const { return is(next(), TokenKind::kName, name); }
  bool next_is_operator(std::string_view op) const { return is(next(), TokenKind::kOperator, op); }

  Token take() {
    Token token = current();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool skip_name(std::string_view name) { return at_name(name) && (take(), true); }
  bool skip_operator(std::string_view op) { return at_operator(op) && (take(), true); }

  Token expect(TokenKind kind, std::string wanted) {
    if (!at(kind)) fail_here(std::move(wanted));
    return take();
  }
  std::string expect_name() { return expect(TokenKind::kName, "a name").text; }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) fail_here("'" + std::string(name) + "'");
  }
  void expect_operator(std::string_view op) {
    if (!skip_operator(op)) fail_here("'" + std::string(op) + "'");
  }

  [[noreturn]] void fail_here(std::string wanted) const {
    throw Failure{ErrorCode::kInvalidFile, std::move(wanted), describe(current()), line()};
  }

 private:
  static bool is(const Token& token, TokenKind kind, std::string_view text) {
    return token.kind == kind && token.text == text;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace tenon::text::jinja
