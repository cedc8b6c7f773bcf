// What may follow a value: subscripts, calls, filters and tests.
#include "tenon/text/jinja/expression_nodes.h"
#include "tenon/text/jinja/expression_parser.h"

namespace tenon::text::jinja {

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

}  // namespace tenon::text::jinja
