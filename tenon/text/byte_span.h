// A range of bytes of a text.
#pragma once

#include <cstddef>

namespace tenon::text {

struct ByteSpan {
  size_t begin = 0;
  size_t end = 0;  // one past the last byte

  friend bool operator==(const ByteSpan&, const ByteSpan&) = default;
};

}  // namespace tenon::text
