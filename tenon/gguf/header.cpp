#include "tenon/gguf/header.h"

#include <string>

namespace tenon::gguf {

namespace {

// The least bytes of a record: length, one character, type, one byte of value.
constexpr uint64_t kSmallestKey = 8 + 1 + 4 + 1;
// Length, one character, rank, type, offset.
constexpr uint64_t kSmallestTensor = 8 + 1 + 4 + 4 + 8;

Status check_version(const Cursor& cursor, uint64_t start, uint32_t version) {
  constexpr char kWanted[] = "GGUF version 2 or 3, little-endian";
  const auto fail = [&](ErrorCode code, std::string found, std::string remedy) {
    return cursor.error(start, kWanted, std::move(found), std::move(remedy), code);
  };
  if (version == 2 || version == 3) return {};
  if (version == 0) return fail(ErrorCode::kInvalidFile, "version 0", kTruncatedRemedy);
  if (version == 1) {
    return fail(ErrorCode::kUnsupported, "version 1", "convert the model again with a current converter");
  }
  // A small version number read in the wrong byte order has its low half empty.
  if ((version & 0xffff) == 0) {
    return fail(ErrorCode::kUnsupported, "a big-endian file", "convert the model for little-endian machines");
  }
  return fail(ErrorCode::kUnsupported, "version " + std::to_string(version), "a newer Tenon may read it");
}

Result<uint64_t> read_count(Cursor& cursor, const std::string& what, uint64_t smallest_record) {
  const uint64_t start = cursor.offset();
  TENON_ASSIGN(const uint64_t count, cursor.number<uint64_t>("the number of " + what));
  const uint64_t most = cursor.remaining() / smallest_record;
  if (count > most) {
    return cursor.error(
        start, "at most " + std::to_string(most) + " " + what + ", which the rest of the file can hold",
        std::to_string(count), kTruncatedRemedy);
  }
  return count;
}

}  // namespace

Result<Header> read_header(Cursor& cursor) {
  TENON_ASSIGN(const std::span<const std::byte> bytes, cursor.take(4, "the magic 'GGUF'"));
  const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (magic != "GGUF") return cursor.error(0, "the magic 'GGUF'", quoted(magic), "this is not a GGUF file");
  Header header;
  const uint64_t version_start = cursor.offset();
  TENON_ASSIGN(header.version, cursor.number<uint32_t>("the version"));
  TENON_RETURN_IF_ERROR(check_version(cursor, version_start, header.version));
  TENON_ASSIGN(header.tensor_count, read_count(cursor, "tensors", kSmallestTensor));
  TENON_ASSIGN(header.key_count, read_count(cursor, "keys", kSmallestKey));
  return header;
}

}  // namespace tenon::gguf
