// A string of the template engine. It remembers which of its bytes came from the request (message contents,
// tool descriptions, extra context) and which from the template, through every concatenation, slice and
// replacement. That is what lets a tokenizer take special tokens from the template only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenon/text/byte_span.h"

namespace tenon::text::jinja {

enum class Origin { kTemplate, kInput };

// No string of a template, its output included, may grow beyond this: a template is as untrusted as its file.
inline constexpr size_t kMaxTextBytes = size_t{32} << 20;

class Text {
 public:
  Text() = default;
  explicit Text(std::string bytes, Origin origin = Origin::kTemplate);

  std::string_view view() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  // Ranges that came from the request: ascending, not empty, neither overlapping nor touching.
  const std::vector<ByteSpan>& input_spans() const { return input_spans_; }
  Origin origin_at(size_t byte) const;
  // kInput as soon as one byte is: for results whose bytes cannot be traced to single bytes of this text.
  Origin origin() const { return input_spans_.empty() ? Origin::kTemplate : Origin::kInput; }

  // Jinja's Markup: text that the filters `safe` and `escape` made. Plain text added to it is HTML-escaped
  // first.
  bool is_markup() const { return is_markup_; }
  void set_markup(bool is_markup) { is_markup_ = is_markup; }

  // Both fail when the text would exceed kMaxTextBytes.
  void append(std::string_view bytes, Origin origin = Origin::kTemplate);
  void append(const Text& other) { append_slice(other, 0, other.size()); }
  void append_slice(const Text& source, size_t begin, size_t end);

  Text slice(size_t begin, size_t end) const;
  std::string take_bytes() && { return std::move(bytes_); }

  friend bool operator==(const Text& a, const Text& b) { return a.bytes_ == b.bytes_; }

 private:
  void mark_input(size_t begin, size_t end);

  std::string bytes_;
  std::vector<ByteSpan> input_spans_;
  bool is_markup_ = false;
};

}  // namespace tenon::text::jinja
