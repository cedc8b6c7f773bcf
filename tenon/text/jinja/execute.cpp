// Statements and macros.
#include <algorithm>

#include "tenon/text/jinja/depth_guard.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/print.h"
#include "tenon/text/jinja/scope_guard.h"

namespace tenon::text::jinja {

Interpreter::Flow Interpreter::execute(const Body& body) {
  for (const auto& statement : body) {
    const Flow flow = execute(*statement);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Interpreter::Flow Interpreter::execute(const Statement& statement) {
  line_ = statement.line;
  const DepthGuard guard(depth_, kMaxDepth, "evaluation", line_);
  heap_.charge_step();
  return std::visit([&](const auto& node) { return run(node); }, statement.node);
}

Interpreter::Flow Interpreter::run(const Data& node) {
  output_->append(node.text);
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const Print& node) {
  output_->append(to_text(evaluate(*node.value)));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const Set& node) {
  assign(node.target, evaluate(*node.value));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const SetBlock& node) {
  Value value;
  const Flow flow = evaluate_block(node.body, node.filters, value);
  if (flow == Flow::kNext) assign(node.target, std::move(value));
  return flow;
}

Interpreter::Flow Interpreter::run(const FilterBlock& node) {
  Value value;
  const Flow flow = evaluate_block(node.body, node.filters, value);
  if (flow == Flow::kNext) output_->append(to_text(value));
  return flow;
}

Interpreter::Flow Interpreter::evaluate_block(const Body& body, const std::vector<FilterCall>& filters,
                                              Value& value) {
  Capture capture(*this);
  const ScopeGuard scope(*this, scope_);
  const Flow flow = execute(body);
  value = Value(capture.take());
  for (const FilterCall& filter : filters)
    value = apply_filter(filter.name, value, evaluate(filter.arguments));
  return flow;
}

// An if statement has no scope of its own: what it sets stays set.
Interpreter::Flow Interpreter::run(const If& node) {
  for (const auto& [condition, body] : node.branches) {
    if (truthy(evaluate(*condition))) return execute(body);
  }
  return execute(node.otherwise);
}

Interpreter::Flow Interpreter::run(const For& node) { return run_loop(node, evaluate(*node.iterable), 0); }

std::vector<Value> Interpreter::select_items(const For& node, const Value& iterable) {
  std::vector<Value> items = iterate(heap_, iterable);
  if (!node.condition) return items;
  std::vector<Value> selected;
  for (Value& item : items) {
    const ScopeGuard scope(*this, scope_);
    assign(node.target, item);
    if (truthy(evaluate(*node.condition))) selected.push_back(std::move(item));
  }
  return selected;
}

Interpreter::Flow Interpreter::run_loop(const For& node, const Value& iterable, size_t depth) {
  Loop state;
  state.items = select_items(node, iterable);
  state.depth = depth;
  if (node.recursive) {
    Scope* const closure = keep_scope();
    state.recurse = [this, &node, closure, depth](const Value& items) {
      Capture capture(*this);
      {
        const ScopeGuard scope(*this, closure);
        run_loop(node, items, depth + 1);
      }
      return Value(capture.take());
    };
  }
  const Value loop = heap_.loop(std::move(state));
  // Jinja runs the else block when no pass came to its end, be it for lack of items or because each was left
  // early.
  bool completed_pass = false;
  for (size_t i = 0; i < loop.loop().items.size(); ++i) {
    loop.loop().index = i;
    const ScopeGuard scope(*this, scope_);
    scope_->set("loop", loop);
    assign(node.target, loop.loop().items[i]);
    const Flow flow = execute(node.body);
    if (flow == Flow::kBreak) break;
    completed_pass |= flow == Flow::kNext;
  }
  return completed_pass ? Flow::kNext : execute(node.otherwise);
}

Interpreter::Flow Interpreter::run(const Macro& node) {
  scope_->set(node.definition.name, make_macro(node.definition));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const CallBlock& node) {
  const auto& call = std::get<Call>(node.call->node);
  Arguments arguments = evaluate(call.arguments);
  arguments.named.emplace_back("caller", make_macro(node.caller));
  output_->append(to_text(call_node(call, std::move(arguments))));
  return Flow::kNext;
}

Interpreter::Flow Interpreter::run(const With& node) {
  std::vector<Value> values;
  for (const auto& [target, value] : node.assignments) values.push_back(evaluate(*value));
  const ScopeGuard scope(*this, scope_);
  for (size_t i = 0; i < values.size(); ++i) assign(node.assignments[i].first, std::move(values[i]));
  return execute(node.body);
}

void Interpreter::assign(const Target& target, Value value) {
  if (!target.tuple.empty()) {
    std::vector<Value> values = iterate(heap_, value);
    if (values.size() != target.tuple.size()) {
      fail("wanted " + std::to_string(target.tuple.size()) + " values to unpack, found " +
           std::to_string(values.size()));
    }
    for (size_t i = 0; i < values.size(); ++i) assign(target.tuple[i], std::move(values[i]));
  } else if (target.attribute.empty()) {
    heap_.charge_values(1);
    scope_->set(target.name, std::move(value));
  } else {
    const Value* object = scope_->find(target.name);
    if (object == nullptr || !object->is(Kind::kNamespace)) {
      fail("cannot assign attribute on non-namespace object");
    }
    heap_.charge_values(1);
    object->name_space().attributes.set(Value::string(target.attribute), std::move(value));
  }
}

Scope* Interpreter::keep_scope() {
  for (Scope* scope = scope_; scope != nullptr && !scope->is_kept; scope = scope->parent)
    scope->is_kept = true;
  return scope_;
}

Value Interpreter::make_macro(const MacroDefinition& definition) {
  Scope* const closure = keep_scope();
  return heap_.function(
      {definition.name, [&definition, closure](Interpreter& interpreter, const Arguments& arguments) {
         return interpreter.call_macro(definition, closure, arguments);
       }});
}

Value Interpreter::call_macro(const MacroDefinition& definition, Scope* closure, const Arguments& arguments) {
  Capture capture(*this);
  const ScopeGuard scope(*this, closure);
  bind_surplus(definition, arguments);
  bind_parameters(definition, arguments);
  execute(definition.body);
  return Value(capture.take());
}

void Interpreter::bind_parameters(const MacroDefinition& definition, const Arguments& arguments) {
  for (size_t i = 0; i < definition.parameters.size(); ++i) {
    const Parameter& parameter = definition.parameters[i];
    const auto named = std::find_if(arguments.named.begin(), arguments.named.end(),
                                    [&](const auto& argument) { return argument.first == parameter.name; });
    if (i < arguments.positional.size()) {
      scope_->set(parameter.name, arguments.positional[i]);
    } else if (named != arguments.named.end()) {
      scope_->set(parameter.name, named->second);
    } else if (parameter.default_value) {
      scope_->set(parameter.name, evaluate(*parameter.default_value));
    } else {
      scope_->set(parameter.name, Value::undefined("parameter '" + parameter.name + "' was not provided"));
    }
  }
}

// What no parameter takes goes to varargs, kwargs and caller; a macro that does not mention them refuses it.
void Interpreter::bind_surplus(const MacroDefinition& definition, const Arguments& arguments) {
  const size_t count = definition.parameters.size();
  std::vector<Value> varargs;
  for (size_t i = count; i < arguments.positional.size(); ++i) varargs.push_back(arguments.positional[i]);
  if (!varargs.empty() && !definition.uses_varargs) {
    fail("macro '" + definition.name + "' takes not more than " + std::to_string(count) + " argument(s)");
  }
  Value caller = Value::undefined("No caller defined");
  Dict kwargs;
  for (const auto& argument : arguments.named) {
    const auto& [name, value] = argument;
    const auto parameter =
        std::find_if(definition.parameters.begin(), definition.parameters.end(),
                     [&](const Parameter& candidate) { return candidate.name == argument.first; });
    const auto place = static_cast<size_t>(parameter - definition.parameters.begin());
    if (place < count && place >= arguments.positional.size()) continue;
    if (name == "caller" && definition.uses_caller) {
      caller = value;
    } else if (definition.uses_kwargs) {
      kwargs.set(Value::string(name), value);
    } else {
      fail("macro '" + definition.name + "' takes no keyword argument '" + name + "'");
    }
  }
  if (definition.uses_varargs) scope_->set("varargs", heap_.tuple(std::move(varargs)));
  if (definition.uses_kwargs) scope_->set("kwargs", heap_.dict(std::move(kwargs)));
  if (definition.uses_caller) scope_->set("caller", caller);
}

}  // namespace tenon::text::jinja
