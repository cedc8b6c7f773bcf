// Writes one array in NumPy's .npy format, version 1.0: little-endian float32, rows in order.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tenon/base/file_writer.h"

namespace tenon::cli {

// The file gets its name when finish() was good. Format: numpy.lib.format.
class NpyWriter {
 public:
  // f32 [rows, columns]. Errors: FileWriter's.
  static Result<NpyWriter> create(const std::string& path, int64_t rows, int64_t columns);

  void add(std::span<const float> values);
  // Throws std::logic_error when it was not given rows * columns values.
  Status finish();

 private:
  NpyWriter(FileWriter file, int64_t values) : file_(std::move(file)), missing_(values) {}

  FileWriter file_;
  int64_t missing_;  // values that are still to come
};

}  // namespace tenon::cli
