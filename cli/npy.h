// Writes one array in NumPy's .npy format, version 1.0: little-endian float32, rows in order.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

#include "tenon/base/result.h"

namespace tenon::cli {

// The file gets its name when finish() was good: until then it is `path` with a suffix, removed again when
// the writer goes. Format: numpy.lib.format.
class NpyWriter {
 public:
  // f32 [rows, columns]. Errors: kIo, naming the file.
  static Result<NpyWriter> create(const std::string& path, int64_t rows, int64_t columns);
  ~NpyWriter();
  NpyWriter(NpyWriter&&) = default;
  NpyWriter& operator=(NpyWriter&&) = delete;

  void add(std::span<const float> values);
  // Throws std::logic_error when it was not given rows * columns values.
  Status finish();

 private:
  NpyWriter(std::string path, int64_t values);
  Error failed() const;

  std::string path_;
  std::string temporary_;
  std::ofstream out_;
  int64_t missing_;  // values that are still to come
};

}  // namespace tenon::cli
