// Host arrays that go into and come out of ggml: type, extents as ggml orders them (fastest first), bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ggml.h"

namespace tenon::oracle {

using Extents = std::vector<int64_t>;  // 1 to 4 of them, fastest first

struct Array {
  ggml_type type = GGML_TYPE_F32;
  Extents extents;
  std::vector<std::byte> bytes;
};

int64_t count(const Extents& extents);

// The same values in an element type; block types are encoded by ggml's own quantiser, without an importance
// matrix. Throws std::invalid_argument when the count does not fit the extents.
Array make_array(ggml_type type, const Extents& extents, std::span<const float> values);
Array make_i32(const Extents& extents, const std::vector<int32_t>& values);
Array make_i64(const Extents& extents, const std::vector<int64_t>& values);

// The F32 values that ggml's own decoder gives for `array`.
Array dequantised(const Array& array);

// Lower-case name of a type as ggml spells it: "q4_K", "f16".
std::string type_name(ggml_type type);

}  // namespace tenon::oracle
