// Expressions.
#include "tenon/text/jinja/depth_guard.h"
#include "tenon/text/jinja/elements.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/filters.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/methods.h"
#include "tenon/text/jinja/operators.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/tests.h"

namespace tenon::text::jinja {
Value Interpreter::evaluate(const Expression& expression) {
  line_ = expression.line;
  const DepthGuard guard(depth_, kMaxDepth, "evaluation", line_);
  heap_.charge_step();
  Value value = std::visit([&](const auto& node) { return eval(node); }, expression.node);
  // A name or a literal only refers to a string; everything else has made one.
  if (value.is_string() && expression.node.index() > 1) heap_.charge_bytes(value.text().size());
  return value;
}

Value Interpreter::eval(const Name& node) {
  const Value* value = scope_->find(node.name);
  return value != nullptr ? *value : Value::undefined("'" + node.name + "' is undefined");
}

std::vector<Value> Interpreter::evaluate_all(const std::vector<ExpressionPointer>& expressions) {
  std::vector<Value> values;
  values.reserve(expressions.size());
  for (const auto& expression : expressions) values.push_back(evaluate(*expression));
  return values;
}

Value Interpreter::eval(const ListDisplay& node) {
  std::vector<Value> items = evaluate_all(node.items);
  return heap_.list(std::move(items), node.is_tuple ? List::Flavor::kTuple : List::Flavor::kList);
}

Value Interpreter::eval(const DictDisplay& node) {
  Dict dict;
  for (const auto& [key, value] : node.entries) {
    const Value evaluated_key = evaluate(*key);
    dict.set(evaluated_key, evaluate(*value));
  }
  return heap_.dict(std::move(dict));
}

Value Interpreter::eval(const Attribute& node) { return attribute(evaluate(*node.object), node.name); }

Value Interpreter::eval(const Subscript& node) {
  const Value object = evaluate(*node.object);
  return subscript(object, evaluate(*node.index));
}

Value Interpreter::eval(const Slice& node) {
  const Value object = evaluate(*node.object);
  const auto bound = [&](const ExpressionPointer& expression) {
    return expression ? evaluate(*expression) : Value::none();
  };
  const Value start = bound(node.start);
  const Value stop = bound(node.stop);
  const Value step = bound(node.step);
  return slice(heap_, object, &start, &stop, &step);
}

Arguments Interpreter::evaluate(const ArgumentList& list) {
  Arguments arguments;
  arguments.positional = evaluate_all(list.positional);
  for (const auto& [name, value] : list.named) arguments.named.emplace_back(name, evaluate(*value));
  if (list.spread) {
    for (Value& value : iterate(heap_, evaluate(*list.spread)))
      arguments.positional.push_back(std::move(value));
  }
  if (list.named_spread) {
    const Value named = evaluate(*list.named_spread);
    if (!named.is(Kind::kDict))
      fail("argument after ** must be a mapping, not " + std::string(type_name(named)));
    for (const auto& [key, value] : named.dict().entries) {
      if (!key.is_string()) fail("keywords must be strings");
      arguments.named.emplace_back(key.text().view(), value);
    }
  }
  return arguments;
}

Value Interpreter::eval(const Call& node) { return call_node(node, evaluate(node.arguments)); }

// A method is called on its object right away, without a function value in between.
Value Interpreter::call_node(const Call& node, Arguments arguments) {
  const auto* named = std::get_if<Attribute>(&node.callee->node);
  if (named == nullptr) return call(evaluate(*node.callee), arguments);
  const Value object = evaluate(*named->object);
  if (const Method* method = find_method(object, named->name)) return method->call(*this, object, arguments);
  return call(attribute(object, named->name), arguments);
}

Value Interpreter::eval(const Filter& node) {
  const Value operand = evaluate(*node.operand);
  return apply_filter(node.call.name, operand, evaluate(node.call.arguments));
}

Value Interpreter::apply_filter(std::string_view name, const Value& operand, const Arguments& arguments) {
  const FilterFunction filter = find_filter(name);
  if (filter == nullptr) {
    throw Failure{ErrorCode::kUnsupported, "a known filter", "'" + std::string(name) + "'", line_};
  }
  return filter(*this, operand, arguments);
}

Value Interpreter::eval(const Test& node) {
  const Value operand = evaluate(*node.operand);
  return Value(apply_test(node.name, operand, evaluate(node.arguments)) != node.negated);
}

bool Interpreter::apply_test(std::string_view name, const Value& operand, const Arguments& arguments) {
  const TestFunction test = find_test(name);
  if (test == nullptr) {
    throw Failure{ErrorCode::kUnsupported, "a known test", "'" + std::string(name) + "'", line_};
  }
  return test(*this, operand, arguments);
}

Value Interpreter::eval(const Unary& node) { return apply_unary(node.op, evaluate(*node.operand)); }

Value Interpreter::eval(const Binary& node) {
  const Value left = evaluate(*node.left);
  const Value right = evaluate(*node.right);
  return apply_binary(heap_, node.op, left, right);
}

Value Interpreter::eval(const Logical& node) {
  Value left = evaluate(*node.left);
  return truthy(left) == node.is_and ? evaluate(*node.right) : left;
}

Value Interpreter::eval(const Concatenation& node) {
  Text result;
  for (const auto& part : node.parts) result.append(to_text(evaluate(*part)));
  return Value(std::move(result));
}

Value Interpreter::eval(const ComparisonChain& node) {
  Value left = evaluate(*node.first);
  for (const auto& [op, expression] : node.rest) {
    Value right = evaluate(*expression);
    if (!apply_comparison(heap_, op, left, right)) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Value Interpreter::eval(const Conditional& node) {
  if (truthy(evaluate(*node.condition))) return evaluate(*node.value);
  if (node.otherwise) return evaluate(*node.otherwise);
  return Value::undefined("the inline if-expression evaluated to false and no else section was defined");
}

}  // namespace tenon::text::jinja
