// What went wrong with something that came from outside (a file, a flag, a request), in parts that a caller
// can print or test: where it happened, what was wanted, what was found instead, and what to do about it.
#pragma once

#include <string>
#include <string_view>

#include "tenon/base/export.h"

namespace tenon {

enum class ErrorCode {
  kIo,               // the operating system refused: open, stat, map, read, write
  kInvalidFile,      // the bytes of a file break its format
  kUnsupported,      // well formed, but this build cannot do it
  kInvalidArgument,  // a flag, an option or an input of a call is out of its range
  kInvalidGraph,     // a graph breaks a rule of the IR
  kContextFull,      // no room left in a session's context
  kCancelled,        // the caller asked to stop
};

TENON_API std::string_view error_code_name(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string where;   // file offset, key, tensor, node, flag: the place, by name
  std::string wanted;  // what would have been right
  std::string found;   // what was there
  std::string remedy;  // what the user can do; may be empty

  // One line: "where: wanted …, found … (remedy)". Control characters of untrusted names are escaped.
  TENON_API std::string message() const;
};

// Replaces control characters and invalid UTF-8 by \xNN, so that an error line stays one line.
TENON_API std::string printable(std::string_view text);

}  // namespace tenon
