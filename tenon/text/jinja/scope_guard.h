// What a block changes in the interpreter and puts back when it is left, by whatever way.
#pragma once

#include "tenon/text/jinja/interpreter.h"

namespace tenon::text::jinja {

// Opens a scope inside `parent` and makes it the current one.
class Interpreter::ScopeGuard {
 public:
  ScopeGuard(Interpreter& interpreter, Scope* parent)
      : interpreter_(interpreter), outer_(interpreter.scope_) {
    interpreter.heap_.charge_bytes(sizeof(Scope));
    interpreter.scope_ = &interpreter.scopes_.emplace_back(Scope{parent, {}});
  }
  ~ScopeGuard() { interpreter_.scope_ = outer_; }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  Interpreter& interpreter_;
  Scope* outer_;
};

// Collects what is printed meanwhile.
class Interpreter::Capture {
 public:
  explicit Capture(Interpreter& interpreter) : interpreter_(interpreter), outer_(interpreter.output_) {
    interpreter.output_ = &text_;
  }
  ~Capture() { interpreter_.output_ = outer_; }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  Text take() {
    interpreter_.heap_.charge_bytes(text_.size());
    return std::move(text_);
  }

 private:
  Interpreter& interpreter_;
  Text* outer_;
  Text text_;
};

}  // namespace tenon::text::jinja
