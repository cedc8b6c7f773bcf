// The syntax tree of a template. It is immutable once parsed and shared by all renderings.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

struct Expression;
using ExpressionPointer = std::unique_ptr<const Expression>;

// f(positional, named=…, *spread, **named_spread)
struct ArgumentList {
  std::vector<ExpressionPointer> positional;
  std::vector<std::pair<std::string, ExpressionPointer>> named;
  ExpressionPointer spread;        // may be null
  ExpressionPointer named_spread;  // may be null
};

struct Literal {
  Value value;  // none, a bool, a number or a string
};
struct Name {
  std::string name;
};
struct ListDisplay {
  std::vector<ExpressionPointer> items;
  bool is_tuple = false;
};
struct DictDisplay {
  std::vector<std::pair<ExpressionPointer, ExpressionPointer>> entries;
};
struct Attribute {  // object.name
  ExpressionPointer object;
  std::string name;
};
struct Subscript {  // object[index]
  ExpressionPointer object;
  ExpressionPointer index;
};
struct Slice {  // object[start:stop:step]; each bound may be null
  ExpressionPointer object;
  ExpressionPointer start;
  ExpressionPointer stop;
  ExpressionPointer step;
};
struct Call {
  ExpressionPointer callee;
  ArgumentList arguments;
};
struct FilterCall {  // name(arguments)
  std::string name;
  ArgumentList arguments;
};
struct Filter {  // operand | call
  ExpressionPointer operand;
  FilterCall call;
};
struct Test {  // operand is [not] name(arguments)
  ExpressionPointer operand;
  std::string name;
  ArgumentList arguments;
  bool negated = false;
};

enum class UnaryOperator { kNot, kNegate, kPlus };
struct Unary {
  UnaryOperator op;
  ExpressionPointer operand;
};

enum class BinaryOperator { kAdd, kSubtract, kMultiply, kDivide, kFloorDivide, kModulo, kPower };
struct Binary {
  BinaryOperator op;
  ExpressionPointer left;
  ExpressionPointer right;
};

// `and` or `or`: the value of the operand that decides.
struct Logical {
  bool is_and;
  ExpressionPointer left;
  ExpressionPointer right;
};

struct Concatenation {  // a ~ b ~ …
  std::vector<ExpressionPointer> parts;
};

enum class ComparisonOperator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kNotIn };
struct ComparisonChain {  // a < b <= c: every neighbouring pair must hold
  ExpressionPointer first;
  std::vector<std::pair<ComparisonOperator, ExpressionPointer>> rest;
};

struct Conditional {  // value if condition else otherwise
  ExpressionPointer condition;
  ExpressionPointer value;
  ExpressionPointer otherwise;  // null: undefined
};

struct Expression {
  int line;
  int depth;  // of the tree below, this node included: bounded, so that walking it cannot exhaust the stack
  std::variant<Literal, Name, ListDisplay, DictDisplay, Attribute, Subscript, Slice, Call, Filter, Test,
               Unary, Binary, Logical, Concatenation, ComparisonChain, Conditional>
      node;
};

struct Statement;
using Body = std::vector<std::unique_ptr<const Statement>>;

// What a set, for or with statement assigns to: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  std::string name;
  std::string attribute;      // empty unless `name.attribute`
  std::vector<Target> tuple;  // not empty: the names above are unused
};

struct Parameter {
  std::string name;
  ExpressionPointer default_value;  // may be null
};

struct MacroDefinition {
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  // Which of the implicit variables the body mentions; without them, surplus arguments are an error.
  bool uses_varargs = false;
  bool uses_kwargs = false;
  bool uses_caller = false;
};

struct Data {
  Text text;
};
struct Print {
  ExpressionPointer value;
};
struct Set {
  Target target;
  ExpressionPointer value;
};
struct SetBlock {
  Target target;
  std::vector<FilterCall> filters;  // applied to the body in this order; may be empty
  Body body;
};
struct If {
  std::vector<std::pair<ExpressionPointer, Body>> branches;
  Body otherwise;
};
struct For {
  Target target;
  ExpressionPointer iterable;
  ExpressionPointer condition;  // may be null
  bool recursive = false;
  Body body;
  Body otherwise;
};
struct Macro {
  MacroDefinition definition;
};
struct CallBlock {
  MacroDefinition caller;
  ExpressionPointer call;  // a Call
};
struct FilterBlock {
  std::vector<FilterCall> filters;
  Body body;
};
struct With {  // also a generation block, as one without targets
  std::vector<std::pair<Target, ExpressionPointer>> assignments;
  Body body;
};
struct Break {};
struct Continue {};

struct Statement {
  int line;
  std::variant<Data, Print, Set, SetBlock, If, For, Macro, CallBlock, FilterBlock, With, Break, Continue>
      node;
};

}  // namespace tenon::text::jinja
