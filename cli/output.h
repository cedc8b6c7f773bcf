// stdout: the answer and nothing else.
#pragma once

#include <string_view>

#include "tenon/base/result.h"

namespace tenon::cli {

// Writes all of it at once, unbuffered, so that text appears as it is made. Errors: kIo with the system's
// reason; kCancelled when the reader has gone away, which is its right.
Status write_stdout(std::string_view text);

}  // namespace tenon::cli
