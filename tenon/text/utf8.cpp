#include "tenon/text/utf8.h"

#include <cstdint>
#include <utility>

namespace tenon::text {
namespace {

uint8_t byte_at(std::string_view bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Bytes that a lead byte announces, whatever follows; 0 for a byte that cannot lead.
size_t announced_bytes(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC0) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF8 ? 4 : 0;
}

// The range of the second byte that keeps a sequence shortest, off the surrogates and within U+10FFFF.
std::pair<uint8_t, uint8_t> second_byte_range(uint8_t lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

void append_code_point(uint32_t code_point, std::string& out) {
  const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | (code_point >> shift & 0x3F))); };
  if (code_point < 0x80) {
    out.push_back(static_cast<char>(code_point));
  } else if (code_point < 0x800) {
    out.push_back(static_cast<char>(0xC0 | code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | code_point >> 12));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | code_point >> 18));
    tail(12), tail(6), tail(0);
  }
}

}  // namespace

Utf8Sequence next_sequence(std::string_view bytes) {
  using State = Utf8Sequence::State;
  const uint8_t lead = byte_at(bytes, 0);
  if (lead < 0x80) return {State::kValid, 1};
  if (lead < 0xC2 || lead > 0xF4) return {State::kInvalid, 1};
  const size_t wanted = announced_bytes(lead);
  const auto [low, high] = second_byte_range(lead);
  for (size_t i = 1; i < wanted; ++i) {
    if (i == bytes.size()) return {State::kIncomplete, i};
    const uint8_t byte = byte_at(bytes, i);
    if (i == 1 ? byte < low || byte > high : !is_continuation(byte)) return {State::kInvalid, i};
  }
  return {State::kValid, wanted};
}

bool is_valid_utf8(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const Utf8Sequence sequence = next_sequence(bytes.substr(at));
    if (sequence.state != Utf8Sequence::State::kValid) return false;
    at += sequence.bytes;
  }
  return true;
}

std::string lenient_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (size_t at = 0; at < bytes.size();) {
    const uint8_t lead = byte_at(bytes, at);
    const size_t length = announced_bytes(lead);
    size_t present = length == 0 ? 0 : 1;
    uint32_t code_point = length <= 1 ? lead : lead & (0x7Fu >> length);
    while (present < length && at + present < bytes.size() && is_continuation(byte_at(bytes, at + present))) {
      code_point = code_point << 6 | (byte_at(bytes, at + present) & 0x3Fu);
      ++present;
    }
    if (length == 0 || present < length || code_point > 0x10FFFF) {
      out += kReplacementCharacter;
      at += 1;
    } else {
      append_code_point(code_point, out);
      at += length;
    }
  }
  return out;
}

std::string Utf8Stream::append(std::string_view bytes) {
  waiting_ += bytes;
  std::string out;
  size_t at = 0;
  while (at < waiting_.size()) {
    const std::string_view rest = std::string_view(waiting_).substr(at);
    const Utf8Sequence sequence = next_sequence(rest);
    if (sequence.state == Utf8Sequence::State::kIncomplete) break;
    out += sequence.state == Utf8Sequence::State::kValid ? rest.substr(0, sequence.bytes)
                                                         : kReplacementCharacter;
    at += sequence.bytes;
  }
  waiting_.erase(0, at);
  return out;
}

std::string Utf8Stream::flush() {
  const bool cut = !waiting_.empty();
  waiting_.clear();
  return std::string(cut ? kReplacementCharacter : "");
}

}  // namespace tenon::text
