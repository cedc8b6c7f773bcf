// Jinja's expression grammar.
#pragma once

#include <string_view>

#include "tenon/text/jinja/ast.h"
#include "tenon/text/jinja/token_stream.h"

namespace tenon::text::jinja {

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  // An expression; without_conditional leaves a following `if` to the statement (for … in x if …).
  ExpressionPointer parse_expression(bool with_conditional = true);
  // An expression, or a tuple where commas follow. It ends at `end_name`, if one is given.
  ExpressionPointer parse_tuple(bool with_conditional = true, std::string_view end_name = {});
  // name(…) | name(…) …
  std::vector<FilterCall> parse_filter_chain();

  Target parse_target(std::string_view end_name = {});
  std::vector<Parameter> parse_parameters();

  // The macro whose body is being parsed, to note which implicit variables it mentions; nullptr outside.
  MacroDefinition* current_macro = nullptr;

 private:
  ExpressionPointer parse_conditional();
  ExpressionPointer parse_or();
  ExpressionPointer parse_and();
  ExpressionPointer parse_not();
  ExpressionPointer parse_comparison();
  ExpressionPointer parse_sum();
  ExpressionPointer parse_concatenation();
  ExpressionPointer parse_product();
  ExpressionPointer parse_power();
  ExpressionPointer parse_unary(bool with_filters);
  ExpressionPointer parse_primary();
  ExpressionPointer parse_parenthesized();
  ExpressionPointer parse_list();
  ExpressionPointer parse_dict();
  ExpressionPointer parse_postfix(ExpressionPointer object);
  ExpressionPointer parse_filters_and_tests(ExpressionPointer operand);
  ExpressionPointer parse_dot(ExpressionPointer object);
  ExpressionPointer parse_brackets(ExpressionPointer object);
  ExpressionPointer parse_slice(ExpressionPointer object, ExpressionPointer start, int line);
  ExpressionPointer parse_call(ExpressionPointer callee);
  FilterCall parse_filter_call();
  ExpressionPointer parse_filter(ExpressionPointer operand);
  ExpressionPointer parse_test(ExpressionPointer operand);
  ArgumentList parse_arguments();
  void parse_argument(ArgumentList& arguments);
  std::string parse_dotted_name();
  std::string expect_assignable_name();
  Target parse_single_target();
  void note_name(std::string_view name);

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace tenon::text::jinja
