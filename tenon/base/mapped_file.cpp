#include "tenon/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tenon {

namespace {

Error system_error(const std::string& path, std::string wanted) {
  return {ErrorCode::kIo, path, std::move(wanted), std::strerror(errno), ""};
}

// Closes the descriptor at the end of open(): a mapping outlives it.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

MappedFile::MappedFile(std::string path, const std::byte* data, size_t size)
    : path_(std::move(path)), data_(data), size_(size) {}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  using Pointer = std::shared_ptr<const MappedFile>;
  if (path.empty()) return Error{ErrorCode::kIo, "path", "the name of a file", "an empty one", ""};
  // O_NONBLOCK: a pipe is refused below instead of being waited for.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.value < 0) return system_error(path, "a readable file");
  struct stat status {};
  if (::fstat(file.value, &status) != 0) return system_error(path, "a readable file");
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kIo, path, "a regular file",
                 S_ISDIR(status.st_mode) ? "a directory" : "a device or pipe", ""};
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return Pointer(new MappedFile(path, nullptr, 0));
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (data == MAP_FAILED) return system_error(path, "a file that can be mapped into memory");
  return Pointer(new MappedFile(path, static_cast<const std::byte*>(data), size));
}

}  // namespace tenon
