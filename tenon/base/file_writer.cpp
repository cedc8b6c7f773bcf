#include "tenon/base/file_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace tenon {

namespace {

std::string gibibytes(uint64_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%llu bytes (%.2f GiB)", static_cast<unsigned long long>(bytes),
                static_cast<double>(bytes) / (1 << 30));
  return text;
}

Status check_room(const std::string& path, uint64_t bytes) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder.empty() ? "." : folder, error);
  // What cannot be told now shows when the file is opened.
  if (error || space.available >= bytes) return {};
  return Error{ErrorCode::kIo, path, "room for " + gibibytes(bytes), gibibytes(space.available) + " free",
               "make room, or choose another disk"};
}

}  // namespace

FileWriter::FileWriter(std::string path)
    : path_(std::move(path)),
      temporary_(path_ + "." + std::to_string(getpid()) + ".part"),
      out_(temporary_, std::ios::binary | std::ios::trunc) {}

Result<FileWriter> FileWriter::create(const std::string& path, uint64_t bytes) {
  if (path.empty()) return Error{ErrorCode::kIo, "output", "the name of a file", "an empty one", ""};
  // The rename at the end must not put a file in the place of a device, a pipe or a link.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Error{ErrorCode::kIo, path, "a new file or a regular one", "something else of that name",
                 "choose another name"};
  }
  TENON_RETURN_IF_ERROR(check_room(path, bytes));
  FileWriter writer(path);
  if (!writer.out_) return writer.failed();
  return writer;
}

FileWriter::~FileWriter() {
  if (!out_.is_open()) return;
  out_.close();
  std::remove(temporary_.c_str());
}

Error FileWriter::failed() const {
  return Error{ErrorCode::kIo, path_, "a file that can be written", std::strerror(errno), ""};
}

void FileWriter::write(std::span<const std::byte> bytes) {
  out_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

Status FileWriter::finish() {
  if (!out_.flush()) return failed();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed();
  out_.close();
  return {};
}

}  // namespace tenon
