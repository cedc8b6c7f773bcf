#include "tenon/gguf/value_type.h"

namespace tenon::gguf {

namespace {

struct Row {
  std::string_view name;
  size_t bytes;
  bool integer;
};

// Indexed by the type's number in the file.
constexpr Row kTypes[] = {
    {"u8", 1, true},  {"i8", 1, true},   {"u16", 2, true},   {"i16", 2, true},     {"u32", 4, true},
    {"i32", 4, true}, {"f32", 4, false}, {"bool", 1, false}, {"string", 0, false}, {"array", 0, false},
    {"u64", 8, true}, {"i64", 8, true},  {"f64", 8, false},
};

const Row& row(ValueType type) { return kTypes[static_cast<size_t>(type)]; }

}  // namespace

std::optional<ValueType> value_type_from_id(uint32_t id) {
  return id < std::size(kTypes) ? std::optional(static_cast<ValueType>(id)) : std::nullopt;
}

std::string_view name(ValueType type) { return row(type).name; }
size_t number_bytes(ValueType type) { return row(type).bytes; }
bool is_integer(ValueType type) { return row(type).integer; }

}  // namespace tenon::gguf
