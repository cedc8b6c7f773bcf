#include "tenon/text/jinja/expression_parser.h"

#include <array>

#include "tenon/text/jinja/depth_guard.h"
#include "tenon/text/jinja/expression_nodes.h"

namespace tenon::text::jinja {
namespace {

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

}  // namespace

ExpressionPointer ExpressionParser::parse_expression(bool with_conditional) {
  const DepthGuard guard(depth_, kMaxExpressionDepth, "expressions", tokens_.line());
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
  const DepthGuard guard(depth_, kMaxExpressionDepth, "expressions", tokens_.line());
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
  const DepthGuard guard(depth_, kMaxExpressionDepth, "expressions", tokens_.line());
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

}  // namespace tenon::text::jinja
