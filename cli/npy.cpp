#include "cli/npy.h"

#include <bit>
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

Result<NpyWriter> NpyWriter::create(const std::string& path, int64_t rows, int64_t columns) {
  TENON_ASSIGN(FileWriter file, FileWriter::create(path));
  const std::string before = head(rows, columns);
  file.write(std::as_bytes(std::span(before)));
  return NpyWriter(std::move(file), rows * columns);
}

void NpyWriter::add(std::span<const float> values) {
  missing_ -= static_cast<int64_t>(values.size());
  file_.write(std::as_bytes(values));
}

Status NpyWriter::finish() {
  if (missing_ != 0) throw std::logic_error("[NpyWriter::finish] other values than the shape says");
  return file_.finish();
}

}  // namespace tenon::cli
