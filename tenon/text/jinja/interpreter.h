// Walks a syntax tree and writes what it prints. One Interpreter serves one rendering.
#pragma once

#include <ctime>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/text/jinja/ast.h"
#include "tenon/text/jinja/heap.h"
#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

// The variables of a block. A macro keeps the scope that it was defined in, and those around it.
struct Scope {
  Scope* parent = nullptr;
  std::vector<std::pair<std::string, Value>> variables;
  bool is_kept = false;  // a macro or a recursive loop may still refer to it when its block has been left

  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;  // also in the scopes around; nullptr when there is none
};

class Interpreter {
 public:
  // `now`: the local time that strftime_now tells.
  Interpreter(Heap& heap, const std::tm& now);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void define(std::string_view name, Value value) { globals_->set(name, std::move(value)); }

  // What the template prints. Throws Failure, with the line filled in.
  Text render(const Body& body);

  // For builtins that call back: loop(…), map('upper'), select('defined'), caller().
  Value call(const Value& callee, const Arguments& arguments);
  Value apply_filter(std::string_view name, const Value& operand, const Arguments& arguments);
  bool apply_test(std::string_view name, const Value& operand, const Arguments& arguments);
  // object.name: a method, else an element, else undefined.
  Value attribute(const Value& object, std::string_view name);
  // object[index]: an element, else (for a string) a method, else undefined.
  Value subscript(const Value& object, const Value& index);

  Heap& heap() { return heap_; }
  const std::tm& now() const { return now_; }

 private:
  // Expressions and statements inside each other, macros included.
  static constexpr int kMaxDepth = 600;

  enum class Flow { kNext, kBreak, kContinue };
  class ScopeGuard;
  class Capture;

  Value evaluate(const Expression& expression);
  Value eval(const Literal& node) { return node.value; }
  Value eval(const Name& node);
  Value eval(const ListDisplay& node);
  Value eval(const DictDisplay& node);
  Value eval(const Attribute& node);
  Value eval(const Subscript& node);
  Value eval(const Slice& node);
  Value eval(const Call& node);
  Value eval(const Filter& node);
  Value eval(const Test& node);
  Value eval(const Unary& node);
  Value eval(const Binary& node);
  Value eval(const Logical& node);
  Value eval(const Concatenation& node);
  Value eval(const ComparisonChain& node);
  Value eval(const Conditional& node);
  std::vector<Value> evaluate_all(const std::vector<ExpressionPointer>& expressions);
  Arguments evaluate(const ArgumentList& list);
  Value call_node(const Call& node, Arguments arguments);

  Flow execute(const Body& body);
  Flow execute(const Statement& statement);
  Flow run(const Data& node);
  Flow run(const Print& node);
  Flow run(const Set& node);
  Flow run(const SetBlock& node);
  Flow run(const If& node);
  Flow run(const For& node);
  Flow run(const Macro& node);
  Flow run(const CallBlock& node);
  Flow run(const FilterBlock& node);
  Flow run(const With& node);
  Flow run(const Break&) { return Flow::kBreak; }
  Flow run(const Continue&) { return Flow::kContinue; }
  // What the body prints, filtered; meaningful unless the body is left by break or continue.
  Flow evaluate_block(const Body& body, const std::vector<FilterCall>& filters, Value& value);
  Flow run_loop(const For& node, const Value& iterable, size_t depth);
  std::vector<Value> select_items(const For& node, const Value& iterable);
  void assign(const Target& target, Value value);

  // The current scope, to be referred to later.
  Scope* keep_scope();
  Value make_macro(const MacroDefinition& definition);
  Value call_macro(const MacroDefinition& definition, Scope* closure, const Arguments& arguments);
  void bind_parameters(const MacroDefinition& definition, const Arguments& arguments);
  void bind_surplus(const MacroDefinition& definition, const Arguments& arguments);

  Heap& heap_;
  const std::tm now_;
  std::deque<Scope> scopes_;  // the open ones and the kept ones
  Scope* const globals_;
  Scope* scope_;
  Text* output_ = nullptr;
  int depth_ = 0;
  int line_ = 0;
};

}  // namespace tenon::text::jinja
