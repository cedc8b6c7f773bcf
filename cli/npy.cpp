#include "cli/npy.h"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace tenon::cli {

static_assert(std::endian::native == std::endian::little);

namespace {

// Magic, version, length of the header, a Python dictionary; data starts at a multiple of 64 bytes.
std::string head(int64_t rows, int64_t columns) {
  constexpr size_t kBefore = 10, kAlignment = 64;
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  header.append(kAlignment - 1 - (kBefore + header.size()) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(length & 0xFF);
  out += static_cast<char>(length >> 8);
  return out + header;
}

}  // namespace

NpyWriter::NpyWriter(std::string path, int64_t values)
    : path_(std::move(path)),
      temporary_(path_ + "." + std::to_string(getpid()) + ".part"),
      out_(temporary_, std::ios::binary | std::ios::trunc),
      missing_(values) {}

Result<NpyWriter> NpyWriter::create(const std::string& path, int64_t rows, int64_t columns) {
  if (path.empty()) return Error{ErrorCode::kIo, "-o", "the name of a file", "an empty one", ""};
  // The finished file takes the name by a rename, which must not put a file in the place of a device, a pipe
  // or a link.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Error{ErrorCode::kIo, path, "a new file or a regular one", "something else of that name",
                 "give another -o"};
  }
  NpyWriter writer(path, rows * columns);
  writer.out_ << head(rows, columns);
  if (!writer.out_) return writer.failed();
  return writer;
}

NpyWriter::~NpyWriter() {
  if (!out_.is_open()) return;
  out_.close();
  std::remove(temporary_.c_str());
}

Error NpyWriter::failed() const {
  return Error{ErrorCode::kIo, path_, "a file that can be written", std::strerror(errno), ""};
}

void NpyWriter::add(std::span<const float> values) {
  missing_ -= static_cast<int64_t>(values.size());
  out_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

Status NpyWriter::finish() {
  if (missing_ != 0) throw std::logic_error("[NpyWriter::finish] other values than the shape says");
  if (!out_.flush()) return failed();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return failed();
  out_.close();
  return {};
}

}  // namespace tenon::cli
