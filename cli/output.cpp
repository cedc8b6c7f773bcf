#include "cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenon::cli {

Status write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return Error{errno == EPIPE ? ErrorCode::kCancelled : ErrorCode::kIo, "stdout", "",
                   std::strerror(errno), ""};
    }
  }
  return {};
}

}  // namespace tenon::cli
