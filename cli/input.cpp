#include "cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tenon::cli {

namespace {

constexpr size_t kMostBytes = size_t{1} << 30;  // a device never ends

Error unreadable(const std::string& where) {
  return {ErrorCode::kIo, where, "a readable file", std::strerror(errno), ""};
}

}  // namespace

Result<std::string> read_all(int descriptor, const std::string& where) {
  std::string text;
  char part[1 << 16];
  for (;;) {
    const ssize_t count = read(descriptor, part, sizeof part);
    if (count == 0) return text;
    if (text.size() > kMostBytes) {
      return Error{ErrorCode::kInvalidArgument, where, "at most 1 GiB of text", "more", ""};
    }
    if (count > 0) {
      text.append(part, static_cast<size_t>(count));
    } else if (errno != EINTR) {
      return unreadable(where);
    }
  }
}

Result<std::string> read_file(const std::string& path, const std::string& where) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable(where);
  Result<std::string> text = read_all(file, where);
  close(file);
  return text;
}

}  // namespace tenon::cli
