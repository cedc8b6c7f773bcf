// Reads .npy files of float32 matrices, by NumPy's description of the format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::e2e {

struct NpyFile {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;  // [rows, columns]
};

// Throws std::runtime_error for any other file.
NpyFile read_npy(const std::string& path);

// Sum of squared differences over the sum of squares of `expected`.
double normalised_error(const std::vector<float>& found, const std::vector<float>& expected);

}  // namespace tenon::e2e
