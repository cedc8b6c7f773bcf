#include "tests/e2e/npy_file.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace tenon::e2e {

NpyFile read_npy(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const std::string magic("\x93NUMPY\x01\x00", 8);
  if (!bytes.starts_with(magic) || bytes.size() < 10) throw std::runtime_error(path + ": not version 1.0");
  const size_t header_bytes =
      static_cast<unsigned char>(bytes[8]) | static_cast<size_t>(static_cast<unsigned char>(bytes[9])) << 8;
  const size_t data = 10 + header_bytes;
  const std::string header = bytes.substr(10, header_bytes);
  static const std::regex form(
      R"(\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n)");
  std::smatch match;
  if (data % 64 != 0 || !std::regex_match(header, match, form))
    throw std::runtime_error(path + ": header " + header);
  NpyFile file{std::stoll(match[1]), std::stoll(match[2]), {}};
  file.values.resize(static_cast<size_t>(file.rows * file.columns));
  if (bytes.size() != data + file.values.size() * sizeof(float))
    throw std::runtime_error(path + ": " + std::to_string(bytes.size()) + " bytes");
  std::memcpy(file.values.data(), bytes.data() + data, bytes.size() - data);
  return file;
}

double normalised_error(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) throw std::runtime_error("[normalised_error] sizes differ");
  double error = 0, scale = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double wanted = expected[i];
    error += (found[i] - wanted) * (found[i] - wanted);
    scale += wanted * wanted;
  }
  return error / scale;
}

}  // namespace tenon::e2e
