#include "tenon/gguf/metadata.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "tenon/gguf/cursor.h"

namespace tenon::gguf {

namespace {

std::string type_name(const MetadataEntry& entry) {
  if (entry.type != ValueType::kArray) return std::string(name(entry.type));
  return "array of " + std::string(name(entry.element));
}

Error mistyped(const MetadataEntry& entry, std::string wanted, std::string found) {
  return {ErrorCode::kInvalidFile, "offset " + std::to_string(entry.offset) + ", key " + quoted(entry.key),
          std::move(wanted), std::move(found), ""};
}

// Calls use(value) with the integer at `bytes` in its own type.
template <class Use>
auto with_integer(ValueType type, const std::byte* bytes, const Use& use) {
  switch (type) {
    case ValueType::kU8:
      return use(load<uint8_t>(bytes));
    case ValueType::kI8:
      return use(load<int8_t>(bytes));
    case ValueType::kU16:
      return use(load<uint16_t>(bytes));
    case ValueType::kI16:
      return use(load<int16_t>(bytes));
    case ValueType::kU32:
      return use(load<uint32_t>(bytes));
    case ValueType::kI32:
      return use(load<int32_t>(bytes));
    case ValueType::kU64:
      return use(load<uint64_t>(bytes));
    default:
      return use(load<int64_t>(bytes));
  }
}

// The integer at `position` as a T, or an error saying which value does not fit.
template <Integer T>
Result<T> convert_integer(const MetadataEntry& entry, uint64_t position) {
  const std::byte* bytes = entry.payload.data() + position * number_bytes(entry.element);
  return with_integer(entry.element, bytes, [&](auto value) -> Result<T> {
    if (std::in_range<T>(value)) return static_cast<T>(value);
    std::string found = std::to_string(value);
    if (entry.type == ValueType::kArray) found += " at position " + std::to_string(position);
    return mistyped(entry, "a value that fits " + std::string(name(value_type_of<T>())), std::move(found));
  });
}

template <Integer T>
Result<T> integer_of(const MetadataEntry& entry) {
  if (!is_integer(entry.type)) return mistyped(entry, "an integer", type_name(entry));
  return convert_integer<T>(entry, 0);
}

Result<double> floating_of(const MetadataEntry& entry) {
  if (entry.type == ValueType::kF32) return static_cast<double>(load<float>(entry.payload.data()));
  if (entry.type == ValueType::kF64) return load<double>(entry.payload.data());
  return mistyped(entry, "f32 or f64", type_name(entry));
}

Result<bool> boolean_of(const MetadataEntry& entry) {
  if (entry.type != ValueType::kBool) return mistyped(entry, "bool", type_name(entry));
  return load<uint8_t>(entry.payload.data()) != 0;
}

// Takes the string at the front of `payload`, whose lengths the reader has checked.
std::string_view pop_string(std::span<const std::byte>& payload) {
  const auto length = load<uint64_t>(payload.data());
  const std::string_view out(reinterpret_cast<const char*>(payload.data() + sizeof(uint64_t)), length);
  payload = payload.subspan(sizeof(uint64_t) + length);
  return out;
}

Result<std::string_view> string_of(const MetadataEntry& entry) {
  if (entry.type != ValueType::kString) return mistyped(entry, "string", type_name(entry));
  std::span<const std::byte> payload = entry.payload;
  return pop_string(payload);
}

Status check_array(const MetadataEntry& entry, bool right_element, const std::string& wanted_element) {
  if (entry.type == ValueType::kArray && right_element) return {};
  return mistyped(entry, "array of " + wanted_element, type_name(entry));
}

Result<const MetadataEntry*> require(const Metadata& metadata, std::string_view key, std::string wanted) {
  if (const MetadataEntry* entry = metadata.find(key)) return entry;
  return Error{ErrorCode::kInvalidFile, "key " + quoted(key), std::move(wanted), "no such key", ""};
}

}  // namespace

Metadata::Metadata(std::vector<MetadataEntry> entries) : entries_(std::move(entries)) {
  for (size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].key, i);
}

const MetadataEntry* Metadata::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

Result<uint64_t> Metadata::unsigned_integer(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "an integer"));
  return integer_of<uint64_t>(*entry);
}

Result<uint64_t> Metadata::unsigned_integer(std::string_view key, uint64_t fallback) const {
  return contains(key) ? unsigned_integer(key) : fallback;
}

Result<int64_t> Metadata::signed_integer(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "an integer"));
  return integer_of<int64_t>(*entry);
}

Result<int64_t> Metadata::signed_integer(std::string_view key, int64_t fallback) const {
  return contains(key) ? signed_integer(key) : fallback;
}

Result<double> Metadata::floating(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "f32 or f64"));
  return floating_of(*entry);
}

Result<double> Metadata::floating(std::string_view key, double fallback) const {
  return contains(key) ? floating(key) : fallback;
}

Result<bool> Metadata::boolean(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "bool"));
  return boolean_of(*entry);
}

Result<bool> Metadata::boolean(std::string_view key, bool fallback) const {
  return contains(key) ? boolean(key) : fallback;
}

Result<std::string_view> Metadata::string(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "string"));
  return string_of(*entry);
}

Result<std::string_view> Metadata::string(std::string_view key, std::string_view fallback) const {
  return contains(key) ? string(key) : fallback;
}

template <Number T>
Result<std::vector<T>> Metadata::array(std::string_view key) const {
  const std::string element(name(value_type_of<T>()));
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "array of " + element));
  TENON_RETURN_IF_ERROR(check_array(*entry, entry->element == value_type_of<T>(), element));
  std::vector<T> out(entry->count);
  if (!out.empty()) std::memcpy(out.data(), entry->payload.data(), out.size() * sizeof(T));
  return out;
}

template Result<std::vector<uint8_t>> Metadata::array(std::string_view) const;
template Result<std::vector<int8_t>> Metadata::array(std::string_view) const;
template Result<std::vector<uint16_t>> Metadata::array(std::string_view) const;
template Result<std::vector<int16_t>> Metadata::array(std::string_view) const;
template Result<std::vector<uint32_t>> Metadata::array(std::string_view) const;
template Result<std::vector<int32_t>> Metadata::array(std::string_view) const;
template Result<std::vector<uint64_t>> Metadata::array(std::string_view) const;
template Result<std::vector<int64_t>> Metadata::array(std::string_view) const;
template Result<std::vector<float>> Metadata::array(std::string_view) const;
template Result<std::vector<double>> Metadata::array(std::string_view) const;

Result<std::vector<int64_t>> Metadata::integers(std::string_view key,
                                                std::initializer_list<ValueType> accepted) const {
  std::string wanted;
  for (const ValueType type : accepted) (wanted += wanted.empty() ? "" : " or ") += name(type);
  if (wanted.empty()) wanted = "integers";
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "array of " + wanted));
  const bool listed = accepted.size() == 0 || std::ranges::find(accepted, entry->element) != accepted.end();
  TENON_RETURN_IF_ERROR(check_array(*entry, is_integer(entry->element) && listed, wanted));
  std::vector<int64_t> out(entry->count);
  for (uint64_t i = 0; i < entry->count; ++i) {
    TENON_ASSIGN(out[i], convert_integer<int64_t>(*entry, i));
  }
  return out;
}

Result<std::vector<bool>> Metadata::booleans(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "array of bool"));
  TENON_RETURN_IF_ERROR(check_array(*entry, entry->element == ValueType::kBool, "bool"));
  std::vector<bool> out(entry->count);
  for (uint64_t i = 0; i < entry->count; ++i) out[i] = entry->payload[i] != std::byte{0};
  return out;
}

Result<std::vector<std::string_view>> Metadata::strings(std::string_view key) const {
  TENON_ASSIGN(const MetadataEntry* entry, require(*this, key, "array of string"));
  TENON_RETURN_IF_ERROR(check_array(*entry, entry->element == ValueType::kString, "string"));
  std::vector<std::string_view> out(entry->count);
  std::span<const std::byte> payload = entry->payload;
  for (std::string_view& text : out) text = pop_string(payload);
  return out;
}

}  // namespace tenon::gguf
