// Elements and slices of strings, lists and dicts, as Python's brackets give them.
#pragma once

#include <optional>

#include "tenon/text/jinja/heap.h"
#include "tenon/text/jinja/value.h"

namespace tenon::text::jinja {

// object[index] without the fallback to attributes; nullopt when there is no such element.
std::optional<Value> find_element(Heap& heap, const Value& object, const Value& index);
// object[start:stop:step]; a null bound is an omitted one.
Value slice(Heap& heap, const Value& object, const Value* start, const Value* stop, const Value* step);

}  // namespace tenon::text::jinja
