#include "tenon/text/jinja/expression_parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "tenon/text/jinja/depth_guard.h"

namespace tenon::text::jinja {
namespace {

constexpr int kMaxDepth = 150;

int depth_of(const ExpressionPointer& expression) { return expression ? expression->depth : 0; }

template <class... Rest>
int depth_of(const ExpressionPointer& first, const Rest&... rest) {
  return std::max(depth_of(first), depth_of(rest...));
}

int depth_of(const std::vector<ExpressionPointer>& expressions) {
  int depth = 0;
  for (const auto& expression : expressions) depth = std::max(depth, depth_of(expression));
  return depth;
}

int depth_of(const ArgumentList& arguments) {
  int depth = std::max(depth_of(arguments.positional), depth_of(arguments.spread, arguments.named_spread));
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}

// `depth`: of the deepest child.
template <class Node>
ExpressionPointer make(int line, int depth, Node node) {
  if (depth >= kMaxDepth) {
    throw Failure{ErrorCode::kInvalidFile, "expressions of at most " + std::to_string(kMaxDepth) + " levels",
                  "a deeper one", line};
  }
  return std::make_unique<const Expression>(Expression{line, depth + 1, std::move(node)});
}

template <class Operator, size_t N>
std::optional<Operator> find_operator(const TokenStream& tokens,
                                      const std::array<std::pair<std::string_view, Operator>, N>& table) {
  for (const auto& [text, op] : table) {
    if (tokens.at_operator(text)) return op;
  }
  return std::nullopt;
}

using BinaryRow = std::pair<std::string_view, BinaryOperator>;
constexpr std::array<BinaryRow, 2> kSums = {{{"+", BinaryOperator::kAdd}, {"-", BinaryOperator::kSubtract}}};
constexpr std::array<BinaryRow, 4> kProducts = {{{"*", BinaryOperator::kMultiply},
                                                 {"/", BinaryOperator::kDivide},
                                                 {"//", BinaryOperator::kFloorDivide},
                                                 {"%", BinaryOperator::kModulo}}};
constexpr std::array<std::pair<std::string_view, ComparisonOperator>, 6> kComparisons = {
    {{"==", ComparisonOperator::kEqual},
     {"!=", ComparisonOperator::kNotEqual},
     {"<", ComparisonOperator::kLess},
     {"<=", ComparisonOperator::kLessEqual},
     {">", ComparisonOperator::kGreater},
     {">=", ComparisonOperator::kGreaterEqual}}};

std::optional<Value> keyword_constant(std::string_view name) {
  if (name == "true" || name == "True") return Value(true);
  if (name == "false" || name == "False") return Value(false);
  if (name == "none" || name == "None") return Value::none();
  return std::nullopt;
}

}  // namespace

ExpressionPointer ExpressionParser::parse_expression(bool with_conditional) {
  const DepthGuard guard(depth_, kMaxDepth, "expressions", tokens_.line());
  return with_conditional ? parse_conditional() : parse_or();
}

ExpressionPointer ExpressionParser::parse_conditional() {
  int line = tokens_.line();
  ExpressionPointer value = parse_or();
  while (tokens_.skip_name("if")) {
    ExpressionPointer condition = parse_or();
    ExpressionPointer otherwise = tokens_.skip_name("else") ? parse_expression() : nullptr;
    const int depth = depth_of(value, condition, otherwise);
    value = make(line, depth, Conditional{std::move(condition), std::move(value), std::move(otherwise)});
    line = tokens_.line();
  }
  return value;
}

ExpressionPointer ExpressionParser::parse_or() {
  ExpressionPointer left = parse_and();
  while (tokens_.at_name("or")) {
    const int line = tokens_.take().line;
    ExpressionPointer right = parse_and();
    const int depth = depth_of(left, right);
    left = make(line, depth, Logical{false, std::move(left), std::move(right)});
  }
  return left;
}

ExpressionPointer ExpressionParser::parse_and() {
  ExpressionPointer left = parse_not();
  while (tokens_.at_name("and")) {
    const int line = tokens_.take().line;
    ExpressionPointer right = parse_not();
    const int depth = depth_of(left, right);
    left = make(line, depth, Logical{true, std::move(left), std::move(right)});
  }
  return left;
}

ExpressionPointer ExpressionParser::parse_not() {
  if (!tokens_.at_name("not")) return parse_comparison();
  const DepthGuard guard(depth_, kMaxDepth, "expressions", tokens_.line());
  const int line = tokens_.take().line;
  ExpressionPointer operand = parse_not();
  const int depth = depth_of(operand);
  return make(line, depth, Unary{UnaryOperator::kNot, std::move(operand)});
}

ExpressionPointer ExpressionParser::parse_comparison() {
  const int line = tokens_.line();
  ComparisonChain chain{parse_sum(), {}};
  int depth = depth_of(chain.first);
  while (true) {
    std::optional<ComparisonOperator> op = find_operator(tokens_, kComparisons);
    if (!op && tokens_.at_name("in")) op = ComparisonOperator::kIn;
    if (!op && tokens_.at_name("not") && tokens_.next_is_name("in")) {
      tokens_.take();
      op = ComparisonOperator::kNotIn;
    }
    if (!op) break;
    tokens_.take();
    chain.rest.emplace_back(*op, parse_sum());
    depth = std::max(depth, depth_of(chain.rest.back().second));
  }
  return chain.rest.empty() ? std::move(chain.first) : make(line, depth, std::move(chain));
}

ExpressionPointer ExpressionParser::parse_sum() {
  ExpressionPointer left = parse_concatenation();
  while (const auto op = find_operator(tokens_, kSums)) {
    const int line = tokens_.take().line;
    ExpressionPointer right = parse_concatenation();
    const int depth = depth_of(left, right);
    left = make(line, depth, Binary{*op, std::move(left), std::move(right)});
  }
  return left;
}

ExpressionPointer ExpressionParser::parse_concatenation() {
  const int line = tokens_.line();
  ExpressionPointer first = parse_product();
  if (!tokens_.at_operator("~")) return first;
  Concatenation concatenation;
  concatenation.parts.push_back(std::move(first));
  while (tokens_.skip_operator("~")) concatenation.parts.push_back(parse_product());
  const int depth = depth_of(concatenation.parts);
  return make(line, depth, std::move(concatenation));
}

ExpressionPointer ExpressionParser::parse_product() {
  ExpressionPointer left = parse_power();
  while (const auto op = find_operator(tokens_, kProducts)) {
    const int line = tokens_.take().line;
    ExpressionPointer right = parse_power();
    const int depth = depth_of(left, right);
    left = make(line, depth, Binary{*op, std::move(left), std::move(right)});
  }
  return left;
}

// Left-associative in Jinja, unlike in Python.
ExpressionPointer ExpressionParser::parse_power() {
  ExpressionPointer left = parse_unary(true);
  while (tokens_.at_operator("**")) {
    const int line = tokens_.take().line;
    ExpressionPointer right = parse_unary(true);
    const int depth = depth_of(left, right);
    left = make(line, depth, Binary{BinaryOperator::kPower, std::move(left), std::move(right)});
  }
  return left;
}

// A sign binds tighter than a filter: -1|abs is 1.
ExpressionPointer ExpressionParser::parse_unary(bool with_filters) {
  const DepthGuard guard(depth_, kMaxDepth, "expressions", tokens_.line());
  ExpressionPointer operand;
  if (tokens_.at_operator("-") || tokens_.at_operator("+")) {
    const Token sign = tokens_.take();
    operand = parse_unary(false);
    const int depth = depth_of(operand);
    const UnaryOperator op = sign.text == "-" ? UnaryOperator::kNegate : UnaryOperator::kPlus;
    operand = make(sign.line, depth, Unary{op, std::move(operand)});
  } else {
    operand = parse_primary();
  }
  operand = parse_postfix(std::move(operand));
  return with_filters ? parse_filters_and_tests(std::move(operand)) : std::move(operand);
}

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

ExpressionPointer ExpressionParser::parse_postfix(ExpressionPointer object) {
  while (true) {
    if (tokens_.at_operator(".")) {
      object = parse_dot(std::move(object));
    } else if (tokens_.at_operator("[")) {
      object = parse_brackets(std::move(object));
    } else if (tokens_.at_operator("(")) {
      object = parse_call(std::move(object));
    } else {
      return object;
    }
  }
}

ExpressionPointer ExpressionParser::parse_filters_and_tests(ExpressionPointer operand) {
  while (true) {
    if (tokens_.skip_operator("|")) {
      operand = parse_filter(std::move(operand));
    } else if (tokens_.at_name("is")) {
      operand = parse_test(std::move(operand));
    } else if (tokens_.at_operator("(")) {
      operand = parse_call(std::move(operand));
    } else {
      return operand;
    }
  }
}

ExpressionPointer ExpressionParser::parse_dot(ExpressionPointer object) {
  const int line = tokens_.take().line;
  const int depth = depth_of(object);
  if (tokens_.at(TokenKind::kInteger)) {
    ExpressionPointer index = make(line, 0, Literal{Value(tokens_.take().integer)});
    return make(line, std::max(depth, 1), Subscript{std::move(object), std::move(index)});
  }
  return make(line, depth, Attribute{std::move(object), tokens_.expect_name()});
}

ExpressionPointer ExpressionParser::parse_brackets(ExpressionPointer object) {
  const int line = tokens_.take().line;
  if (tokens_.at_operator(":")) return parse_slice(std::move(object), nullptr, line);
  ExpressionPointer index = parse_expression();
  if (tokens_.at_operator(":")) return parse_slice(std::move(object), std::move(index), line);
  if (tokens_.at_operator(",")) {
    ListDisplay tuple{{}, true};
    tuple.items.push_back(std::move(index));
    while (tokens_.skip_operator(",")) tuple.items.push_back(parse_expression());
    const int depth = depth_of(tuple.items);
    index = make(line, depth, std::move(tuple));
  }
  tokens_.expect_operator("]");
  const int depth = depth_of(object, index);
  return make(line, depth, Subscript{std::move(object), std::move(index)});
}

ExpressionPointer ExpressionParser::parse_slice(ExpressionPointer object, ExpressionPointer start, int line) {
  const auto bound = [&]() -> ExpressionPointer {
    return tokens_.at_operator(":") || tokens_.at_operator("]") ? nullptr : parse_expression();
  };
  tokens_.expect_operator(":");
  ExpressionPointer stop = bound();
  ExpressionPointer step = tokens_.skip_operator(":") ? bound() : nullptr;
  tokens_.expect_operator("]");
  const int depth = depth_of(object, start, stop, step);
  return make(line, depth, Slice{std::move(object), std::move(start), std::move(stop), std::move(step)});
}

ExpressionPointer ExpressionParser::parse_call(ExpressionPointer callee) {
  const int line = tokens_.line();
  ArgumentList arguments = parse_arguments();
  const int depth = std::max(depth_of(callee), depth_of(arguments));
  return make(line, depth, Call{std::move(callee), std::move(arguments)});
}

ArgumentList ExpressionParser::parse_arguments() {
  ArgumentList arguments;
  tokens_.expect_operator("(");
  while (!tokens_.at_operator(")")) {
    parse_argument(arguments);
    if (!tokens_.skip_operator(",")) break;
  }
  tokens_.expect_operator(")");
  return arguments;
}

void ExpressionParser::parse_argument(ArgumentList& arguments) {
  if (arguments.named_spread) tokens_.fail_here("no argument behind **");
  if (tokens_.skip_operator("**")) {
    arguments.named_spread = parse_expression();
  } else if (tokens_.at_operator("*")) {
    if (arguments.spread) tokens_.fail_here("one * argument");
    tokens_.take();
    arguments.spread = parse_expression();
  } else if (tokens_.at(TokenKind::kName) && tokens_.next_is_operator("=")) {
    std::string name = tokens_.expect_name();
    tokens_.take();
    arguments.named.emplace_back(std::move(name), parse_expression());
  } else {
    if (arguments.spread || !arguments.named.empty())
      tokens_.fail_here("positional arguments before named ones");
    arguments.positional.push_back(parse_expression());
  }
}

std::string ExpressionParser::parse_dotted_name() {
  std::string name = tokens_.expect_name();
  while (tokens_.skip_operator(".")) name += "." + tokens_.expect_name();
  return name;
}

FilterCall ExpressionParser::parse_filter_call() {
  FilterCall call;
  call.name = parse_dotted_name();
  if (tokens_.at_operator("(")) call.arguments = parse_arguments();
  return call;
}

ExpressionPointer ExpressionParser::parse_filter(ExpressionPointer operand) {
  const int line = tokens_.line();
  FilterCall call = parse_filter_call();
  const int depth = std::max(depth_of(operand), depth_of(call.arguments));
  return make(line, depth, Filter{std::move(operand), std::move(call)});
}

std::vector<FilterCall> ExpressionParser::parse_filter_chain() {
  std::vector<FilterCall> chain;
  do {
    chain.push_back(parse_filter_call());
  } while (tokens_.skip_operator("|"));
  return chain;
}

ExpressionPointer ExpressionParser::parse_test(ExpressionPointer operand) {
  const int line = tokens_.take().line;
  Test test;
  test.negated = tokens_.skip_name("not");
  test.name = parse_dotted_name();
  const TokenKind kind = tokens_.current().kind;
  const bool literal = kind == TokenKind::kString || kind == TokenKind::kInteger || kind == TokenKind::kReal;
  const bool name = kind == TokenKind::kName && !tokens_.at_name("else") && !tokens_.at_name("or") &&
                    !tokens_.at_name("and");
  if (tokens_.at_operator("(")) {
    test.arguments = parse_arguments();
  } else if (literal || name || tokens_.at_operator("[") || tokens_.at_operator("{")) {
    if (tokens_.at_name("is")) tokens_.fail_here("one test: they cannot be chained");
    test.arguments.positional.push_back(parse_postfix(parse_primary()));  // x is divisibleby 3
  }
  const int depth = std::max(depth_of(operand), depth_of(test.arguments));
  test.operand = std::move(operand);
  return make(line, depth, std::move(test));
}

Target ExpressionParser::parse_single_target() {
  const DepthGuard guard(depth_, kMaxDepth, "targets", tokens_.line());
  Target target;
  if (tokens_.skip_operator("(")) {
    target = parse_target();
    tokens_.expect_operator(")");
    return target;
  }
  if (tokens_.at(TokenKind::kName) && keyword_constant(tokens_.current().text))
    tokens_.fail_here("a name to assign to");
  target.name = tokens_.expect_name();
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
    Parameter parameter{tokens_.expect_name(), nullptr};
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
