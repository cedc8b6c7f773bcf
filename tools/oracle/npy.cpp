#include "npy.h"

#include <fstream>
#include <stdexcept>

namespace tenon::oracle {
namespace {

// Magic, version 1.0, header length, then a Python literal padded so that the data starts at 128 bytes.
constexpr size_t kDataStart = 128;
constexpr size_t kPrefix = 10;

std::string header(const std::string& type, const std::string& shape) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  text.resize(kDataStart - kPrefix - 1, ' ');
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(text.size() + 1) + '\0' + text + '\n';
}

void write(const std::string& path, const std::string& head, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(head.data(), static_cast<std::streamsize>(head.size()));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

void write_npy(const std::string& path, std::span<const float> values, int64_t rows, int64_t columns) {
  write(path, header("<f4", std::to_string(rows) + ", " + std::to_string(columns)), std::as_bytes(values));
}

void write_npy(const std::string& path, std::span<const int32_t> values) {
  write(path, header("<i4", std::to_string(values.size()) + ","), std::as_bytes(values));
}

std::vector<int32_t> read_npy_i32(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<size_t>(file.tellg());
  if (!file || size < kDataStart) throw std::runtime_error("cannot read " + path);
  std::string head(kDataStart, '\0');
  file.seekg(0).read(head.data(), kDataStart);
  std::vector<int32_t> values((size - kDataStart) / sizeof(int32_t));
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(int32_t)));
  if (!file || head != header("<i4", std::to_string(values.size()) + ",")) {
    throw std::runtime_error(path + " holds no row of i32 tokens");
  }
  return values;
}

}  // namespace tenon::oracle
