// Arrays in numpy's own file format, for data too large to commit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::oracle {

// Row-major [rows, columns], little endian. Throws std::runtime_error when the file cannot be written.
void write_npy(const std::string& path, std::span<const float> values, int64_t rows, int64_t columns);
void write_npy(const std::string& path, std::span<const int32_t> values);
// Reads what the second write_npy wrote.
std::vector<int32_t> read_npy_i32(const std::string& path);

}  // namespace tenon::oracle
