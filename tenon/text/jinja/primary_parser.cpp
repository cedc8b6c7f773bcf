// Literals, names and displays; targets of assignments; parameters of macros.
#include "tenon/text/jinja/depth_guard.h"
#include "tenon/text/jinja/expression_nodes.h"
#include "tenon/text/jinja/expression_parser.h"

namespace tenon::text::jinja {

ExpressionPointer ExpressionParser::parse_primary() {
  if (tokens_.at_operator("(")) return parse_parenthesized();
  if (tokens_.at_operator("[")) return parse_list();
  if (tokens_.at_operator("{")) return parse_dict();
  const TokenKind kind = tokens_.current().kind;
  const bool starts = kind == TokenKind::kName || kind == TokenKind::kString || kind == TokenKind::kInteger ||
                      kind == TokenKind::kReal;
  if (!starts) tokens_.fail_here("an expression");
  Token token = tokens_.take();
  if (kind == TokenKind::kInteger) return make(token.line, 0, Literal{Value(token.integer)});
  if (kind == TokenKind::kReal) return make(token.line, 0, Literal{Value(token.real)});
  if (kind == TokenKind::kString) {
    while (tokens_.at(TokenKind::kString)) token.text += tokens_.take().text;  // 'a' 'b' is 'ab'
    return make(token.line, 0, Literal{Value::string(token.text)});
  }
  if (auto constant = keyword_constant(token.text)) return make(token.line, 0, Literal{std::move(*constant)});
  note_name(token.text);
  return make(token.line, 0, Name{std::move(token.text)});
}

void ExpressionParser::note_name(std::string_view name) {
  if (current_macro == nullptr) return;
  current_macro->uses_varargs |= name == "varargs";
  current_macro->uses_kwargs |= name == "kwargs";
  current_macro->uses_caller |= name == "caller";
}

ExpressionPointer ExpressionParser::parse_parenthesized() {
  const int line = tokens_.take().line;
  if (tokens_.skip_operator(")")) return make(line, 0, ListDisplay{{}, true});
  ExpressionPointer inner = parse_tuple();
  tokens_.expect_operator(")");
  return inner;
}

ExpressionPointer ExpressionParser::parse_tuple(bool with_conditional, std::string_view end_name) {
  const int line = tokens_.line();
  ExpressionPointer first = parse_expression(with_conditional);
  if (!tokens_.at_operator(",")) return first;
  ListDisplay tuple{{}, true};
  tuple.items.push_back(std::move(first));
  while (tokens_.skip_operator(",")) {
    const bool ends = tokens_.at(TokenKind::kVariableEnd) || tokens_.at(TokenKind::kBlockEnd) ||
                      tokens_.at_operator(")") || (!end_name.empty() && tokens_.at_name(end_name));
    if (ends) break;
    tuple.items.push_back(parse_expression(with_conditional));
  }
  const int depth = depth_of(tuple.items);
  return make(line, depth, std::move(tuple));
}

ExpressionPointer ExpressionParser::parse_list() {
  const int line = tokens_.take().line;
  ListDisplay list;
  while (!tokens_.at_operator("]")) {
    list.items.push_back(parse_expression());
    if (!tokens_.skip_operator(",")) break;
  }
  tokens_.expect_operator("]");
  const int depth = depth_of(list.items);
  return make(line, depth, std::move(list));
}

ExpressionPointer ExpressionParser::parse_dict() {
  const int line = tokens_.take().line;
  DictDisplay dict;
  int depth = 0;
  while (!tokens_.at_operator("}")) {
    ExpressionPointer key = parse_expression();
    tokens_.expect_operator(":");
    ExpressionPointer value = parse_expression();
    depth = std::max(depth, depth_of(key, value));
    dict.entries.emplace_back(std::move(key), std::move(value));
    if (!tokens_.skip_operator(",")) break;
  }
  tokens_.expect_operator("}");
  return make(line, depth, std::move(dict));
}

std::string ExpressionParser::expect_assignable_name() {
  if (tokens_.at(TokenKind::kName) && keyword_constant(tokens_.current().text)) {
    tokens_.fail_here("a name to assign to");
  }
  return tokens_.expect_name();
}

Target ExpressionParser::parse_single_target() {
  const DepthGuard guard(depth_, kMaxExpressionDepth, "targets", tokens_.line());
  Target target;
  if (tokens_.skip_operator("(")) {
    target = parse_target();
    tokens_.expect_operator(")");
    return target;
  }
  target.name = expect_assignable_name();
  if (tokens_.skip_operator(".")) target.attribute = tokens_.expect_name();
  return target;
}

Target ExpressionParser::parse_target(std::string_view end_name) {
  Target first = parse_single_target();
  if (!tokens_.at_operator(",")) return first;
  Target tuple;
  tuple.tuple.push_back(std::move(first));
  while (tokens_.skip_operator(",")) {
    if (!tokens_.at(TokenKind::kName) && !tokens_.at_operator("(")) break;
    if (!end_name.empty() && tokens_.at_name(end_name)) break;
    tuple.tuple.push_back(parse_single_target());
  }
  return tuple;
}

std::vector<Parameter> ExpressionParser::parse_parameters() {
  std::vector<Parameter> parameters;
  tokens_.expect_operator("(");
  while (!tokens_.at_operator(")")) {
    Parameter parameter{expect_assignable_name(), nullptr};
    if (tokens_.skip_operator("=")) {
      parameter.default_value = parse_expression();
    } else if (!parameters.empty() && parameters.back().default_value) {
      tokens_.fail_here("a default value: the parameter before has one");
    }
    parameters.push_back(std::move(parameter));
    if (!tokens_.skip_operator(",")) break;
  }
  tokens_.expect_operator(")");
  return parameters;
}

}  // namespace tenon::text::jinja
