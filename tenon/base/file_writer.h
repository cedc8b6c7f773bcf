// A file that appears under its name when all of it is there, or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "tenon/base/result.h"

namespace tenon {

// Writes to a temporary name beside the file, which goes with the writer unless finish() was good.
class FileWriter {
 public:
  // `path` is UTF-8; a regular file of that name is replaced at the end. `bytes`: how many will be written,
  // where that is known. Errors: kIo, naming the path: the system's reason, a disk without room for so many,
  // or something of that name that is no regular file (a device, a pipe, a link).
  static Result<FileWriter> create(const std::string& path, uint64_t bytes = 0);
  ~FileWriter();
  FileWriter(FileWriter&&) = default;
  FileWriter& operator=(FileWriter&&) = delete;

  // A failure is kept for finish(); good() tells of it before.
  void write(std::span<const std::byte> bytes);
  bool good() const { return out_.good(); }
  Status finish();

 private:
  explicit FileWriter(std::string path);
  Error failed() const;

  std::string path_;
  std::string temporary_;
  std::ofstream out_;
};

}  // namespace tenon
