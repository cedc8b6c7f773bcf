#include "tenon/gguf/cursor.h"

#include <utility>

namespace tenon::gguf {

std::string quoted(std::string_view name) {
  constexpr size_t kLongest = 100;
  std::string out = "'";
  out += name.substr(0, kLongest);
  return out + (name.size() > kLongest ? "…'" : "'");
}

Result<std::span<const std::byte>> Cursor::take(uint64_t size, std::string_view what) {
  if (size > remaining()) {
    return error(offset_, std::to_string(size) + " bytes for " + std::string(what),
                 std::to_string(remaining()) + " bytes left in the file", kTruncatedRemedy);
  }
  const std::span<const std::byte> out = bytes_.subspan(offset_, size);
  offset_ += size;
  return out;
}

Result<std::string_view> Cursor::string(std::string_view what) {
  const uint64_t start = offset_;
  TENON_ASSIGN(const uint64_t length, number<uint64_t>(what));
  if (length > kMaxStringBytes) {
    return error(start, "at most " + std::to_string(kMaxStringBytes) + " bytes for " + std::string(what),
                 "a length of " + std::to_string(length), kTruncatedRemedy);
  }
  TENON_ASSIGN(const std::span<const std::byte> bytes, take(length, what));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Error Cursor::error(uint64_t offset, std::string wanted, std::string found, std::string remedy,
                    ErrorCode code) const {
  std::string where = "offset " + std::to_string(offset);
  if (!kind_.empty()) {
    (where += ", ") += kind_;
    where += name_.empty() ? " #" + std::to_string(index_) : " " + quoted(name_);
  }
  return {code, std::move(where), std::move(wanted), std::move(found), std::move(remedy)};
}

}  // namespace tenon::gguf
