// A value or an Error. Everything that reads bytes from outside returns one; misuse of the API throws
// instead.
#pragma once

#include <stdexcept>
#include <utility>
#include <variant>

#include "tenon/base/error.h"

namespace tenon {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Throws std::logic_error (misuse) when there is no value: ask ok() first.
  T& value() & { return check(), std::get<0>(state_); }
  const T& value() const& { return check(), std::get<0>(state_); }
  T&& value() && { return check(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void check() const {
    if (!ok()) throw std::logic_error("[Result::value] " + std::get<1>(state_).message());
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit on purpose
  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace tenon

#define TENON_CONCAT_INNER(a, b) a##b
#define TENON_CONCAT(a, b) TENON_CONCAT_INNER(a, b)

// Returns the error of `expression` from the calling function, if it has one.
#define TENON_RETURN_IF_ERROR(expression) TENON_RETURN_IF_ERROR_(TENON_CONCAT(status_, __LINE__), expression)
#define TENON_RETURN_IF_ERROR_(status, expression)      \
  do {                                                  \
    auto status = (expression);                         \
    if (!status.ok()) return std::move(status).error(); \
  } while (false)

// TENON_ASSIGN(auto file, gguf::open(path)): declares `file`, or returns the error from the calling function.
#define TENON_ASSIGN(declaration, expression) \
  TENON_ASSIGN_(TENON_CONCAT(result_, __LINE__), declaration, expression)
#define TENON_ASSIGN_(result, declaration, expression) \
  auto result = (expression);                          \
  if (!result.ok()) return std::move(result).error();  \
  declaration = std::move(result).value()
