// Reads a GGUF file's bytes from front to back; every step is checked against the bytes that are left, and an
// error names the byte and the record at hand.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "tenon/base/result.h"
#include "tenon/gguf/value_type.h"

namespace tenon::gguf {

static_assert(std::endian::native == std::endian::little, "GGUF's numbers are used as they lie in the file");

// Limits that llama.cpp sets, too; the bytes left in the file bound every length anyway.
inline constexpr uint64_t kMaxStringBytes = uint64_t{1} << 30;
inline constexpr uint64_t kMaxArrayElements = uint64_t{1} << 30;

// Remedy of every error whose cause may be a broken download.
inline constexpr char kTruncatedRemedy[] = "the file is cut short or damaged; fetch it again";

template <Number T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

// "'name'", shortened when longer than anyone reads: names of a damaged file can have any length.
std::string quoted(std::string_view name);

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t offset() const { return offset_; }
  uint64_t remaining() const { return bytes_.size() - offset_; }
  uint64_t size() const { return bytes_.size(); }

  // What the bytes that follow belong to, for errors: "tensor #3", then "tensor 'blk.0.attn_q.weight'" once
  // the name is known. The kind must be a literal; the name a view into the file.
  void begin_record(std::string_view kind, uint64_t index) { kind_ = kind, index_ = index, name_ = {}; }
  void name_record(std::string_view record_name) { name_ = record_name; }

  // `what` says what is read, for errors.
  template <Number T>
  Result<T> number(std::string_view what) {
    TENON_ASSIGN(const std::span<const std::byte> bytes, take(sizeof(T), what));
    return load<T>(bytes.data());
  }
  // A u64 length and that many bytes, as a view.
  Result<std::string_view> string(std::string_view what);
  Result<std::span<const std::byte>> take(uint64_t size, std::string_view what);

  // An error at byte `offset`, which is usually offset() from before the faulty field was read.
  Error error(uint64_t offset, std::string wanted, std::string found, std::string remedy = "",
              ErrorCode code = ErrorCode::kInvalidFile) const;

 private:
  std::span<const std::byte> bytes_;
  uint64_t offset_ = 0;
  std::string_view kind_;
  uint64_t index_ = 0;
  std::string_view name_;
};

}  // namespace tenon::gguf
