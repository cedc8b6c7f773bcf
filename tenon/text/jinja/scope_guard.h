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
    scope_ = interpreter.scope_ = &interpreter.scopes_.emplace_back(Scope{parent, {}, false});
  }
  ~ScopeGuard() {
    interpreter_.scope_ = outer_;
    // A kept scope of a macro that was called in here may lie above this one, which then waits for the end.
    if (!scope_->is_kept && scope_ == &interpreter_.scopes_.back()) interpreter_.scopes_.pop_back();
  }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  Interpreter& interpreter_;
  Scope* const outer_;
  Scope* scope_;
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
