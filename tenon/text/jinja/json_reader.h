// JSON text to values.
#pragma once

#include <string_view>

#include "tenon/text/jinja/heap.h"

namespace tenon::text::jinja {

// All strings, keys included, get `origin`; a number beyond int64 becomes a float, of equal keys the last
// counts. Fails with the position and what was wanted for broken JSON, and for more than 200 levels or 10 000
// members in an object.
Value read_json(Heap& heap, std::string_view json, Origin origin);

}  // namespace tenon::text::jinja
