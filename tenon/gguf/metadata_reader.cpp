#include "tenon/gguf/metadata_reader.h"

#include <bit>
#include <string>
#include <unordered_set>
#include <utility>

namespace tenon::gguf {

namespace {

Result<ValueType> read_type(Cursor& cursor, std::string_view what) {
  const uint64_t start = cursor.offset();
  TENON_ASSIGN(const uint32_t id, cursor.number<uint32_t>(what));
  const std::optional<ValueType> type = value_type_from_id(id);
  if (!type) {
    return cursor.error(start, "a value type from 0 (u8) to 12 (f64)", "type " + std::to_string(id),
                        kTruncatedRemedy);
  }
  return *type;
}

// Moves over `count` strings.
Status skip_strings(Cursor& cursor, uint64_t start, uint64_t count) {
  if (count > cursor.remaining() / sizeof(uint64_t)) {
    return cursor.error(start, std::to_string(count) + " strings",
                        std::to_string(cursor.remaining()) + " bytes left in the file", kTruncatedRemedy);
  }
  for (uint64_t i = 0; i < count; ++i) TENON_RETURN_IF_ERROR(cursor.string("a string"));
  return {};
}

Status read_array_head(Cursor& cursor, MetadataEntry& entry) {
  const uint64_t type_start = cursor.offset();
  TENON_ASSIGN(entry.element, read_type(cursor, "the array's element type"));
  if (entry.element == ValueType::kArray) {
    return cursor.error(type_start, "an array of numbers, bools or strings", "an array of arrays");
  }
  const uint64_t count_start = cursor.offset();
  TENON_ASSIGN(entry.count, cursor.number<uint64_t>("the array's length"));
  if (entry.count > kMaxArrayElements) {
    return cursor.error(count_start, "an array of at most " + std::to_string(kMaxArrayElements) + " elements",
                        std::to_string(entry.count), kTruncatedRemedy);
  }
  return {};
}

Result<MetadataEntry> read_entry(Cursor& cursor, std::unordered_set<std::string_view>& seen) {
  MetadataEntry entry;
  const uint64_t key_start = cursor.offset();
  TENON_ASSIGN(entry.key, cursor.string("the key"));
  if (entry.key.empty()) return cursor.error(key_start, "a key of at least one byte", "an empty key");
  cursor.name_record(entry.key);
  if (!seen.insert(entry.key).second)
    return cursor.error(key_start, "each key once", "the key a second time");
  TENON_ASSIGN(entry.type, read_type(cursor, "the value's type"));
  entry.element = entry.type;
  if (entry.type == ValueType::kArray) TENON_RETURN_IF_ERROR(read_array_head(cursor, entry));
  entry.offset = cursor.offset();
  Cursor value = cursor;
  if (entry.element == ValueType::kString) {
    TENON_RETURN_IF_ERROR(skip_strings(value, entry.offset, entry.count));
  } else {
    // No overflow: the count was bounded above, or is 1.
    TENON_RETURN_IF_ERROR(value.take(entry.count * number_bytes(entry.element), "the value"));
  }
  TENON_ASSIGN(entry.payload, cursor.take(value.offset() - entry.offset, "the value"));
  return entry;
}

}  // namespace

Result<Metadata> read_metadata(Cursor& cursor, uint64_t count) {
  std::vector<MetadataEntry> entries;
  std::unordered_set<std::string_view> seen;
  for (uint64_t i = 0; i < count; ++i) {
    cursor.begin_record("key", i);
    TENON_ASSIGN(MetadataEntry entry, read_entry(cursor, seen));
    entries.push_back(entry);
  }
  return Metadata(std::move(entries));
}

Result<uint32_t> alignment_of(const Metadata& metadata) {
  constexpr char kKey[] = "general.alignment";
  const MetadataEntry* entry = metadata.find(kKey);
  if (entry == nullptr) return kDefaultAlignment;
  const auto fail = [&](std::string found) {
    return Error{ErrorCode::kInvalidFile, "offset " + std::to_string(entry->offset) + ", key " + quoted(kKey),
                 "a u32 that is a power of two of at most " + std::to_string(kMaxAlignment), std::move(found),
                 ""};
  };
  if (entry->type != ValueType::kU32) return fail("a value of type " + std::string(name(entry->type)));
  const auto alignment = load<uint32_t>(entry->payload.data());
  if (!std::has_single_bit(alignment) || alignment > kMaxAlignment) return fail(std::to_string(alignment));
  return alignment;
}

}  // namespace tenon::gguf
