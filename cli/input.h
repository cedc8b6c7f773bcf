// Text from outside the command line: stdin, or a file that a flag names.
#pragma once

#include <string>

#include "tenon/base/result.h"

namespace tenon::cli {

// All that comes up to the end. Errors: kIo at `where`, with the system's reason; kInvalidArgument for more
// than 1 GiB.
Result<std::string> read_all(int descriptor, const std::string& where);
// The same of a file, a pipe or a device.
Result<std::string> read_file(const std::string& path, const std::string& where);

}  // namespace tenon::cli
