// How the template engine gives up. It is thrown and caught inside tenon/text only: ChatTemplate turns it
// into an Error, so that the evaluator reads as expressions do instead of testing a Result at each operand.
#pragma once

#include <string>
#include <utility>

#include "tenon/base/error.h"

namespace tenon::text::jinja {

struct Failure {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string wanted;
  std::string found;
  int line = 0;  // of the template, from 1; 0: not known yet
};

// A rule of the language or of one of its functions is broken by a value, in the words of `message`.
[[noreturn]] inline void fail(std::string message) {
  throw Failure{ErrorCode::kInvalidArgument, "", std::move(message), 0};
}

}  // namespace tenon::text::jinja
