#include "tenon/text/jinja/interpreter.h"

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/globals.h"
#include "tenon/text/jinja/scope_guard.h"

namespace tenon::text::jinja {

void Scope::set(std::string_view name, Value value) {
  for (auto& [present, current] : variables) {
    if (present == name) {
      current = std::move(value);
      return;
    }
  }
  variables.emplace_back(name, std::move(value));
}

const Value* Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent) {
    for (const auto& [present, value] : scope->variables) {
      if (present == name) return &value;
    }
  }
  return nullptr;
}

Interpreter::Interpreter(Heap& heap, const std::tm& now)
    : heap_(heap), now_(now), globals_(&scopes_.emplace_back()), scope_(globals_) {
  define_builtins(*this);
}

Text Interpreter::render(const Body& body) {
  Capture capture(*this);
  try {
    // Names of the context stay visible below what the template sets.
    const ScopeGuard scope(*this, globals_);
    execute(body);
  } catch (Failure& failure) {
    if (failure.line == 0) failure.line = line_;
    throw;
  }
  return capture.take();
}

Value Interpreter::call(const Value& callee, const Arguments& arguments) {
  if (callee.is_undefined()) fail(callee.undefined_reason());
  if (callee.is(Kind::kFunction)) return callee.function().call(*this, arguments);
  if (callee.is(Kind::kLoop) && callee.loop().recurse && arguments.positional.size() == 1) {
    return callee.loop().recurse(arguments.positional[0]);
  }
  fail("'" + std::string(type_name(callee)) + "' object is not callable");
}

}  // namespace tenon::text::jinja
