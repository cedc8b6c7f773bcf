#include "tenon/gguf/tensor_table.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "tenon/gguf/ggml_type.h"

namespace tenon::gguf {

namespace {

constexpr uint32_t kMaxExtents = 4;   // ggml's number of dimensions
constexpr size_t kMaxNameBytes = 63;  // ggml's name field, less its NUL

uint64_t round_up(uint64_t value, uint64_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

// One record, still with its data's place relative to the data section.
struct Record {
  TensorInfo info;
  uint64_t bytes = 0;
  uint64_t offset_start = 0;  // where the record keeps its offset, for errors
};

Result<std::string_view> read_name(Cursor& cursor, std::unordered_set<std::string_view>& seen) {
  const uint64_t start = cursor.offset();
  TENON_ASSIGN(const std::string_view name, cursor.string("the tensor's name"));
  const std::string wanted = "a name of 1 to " + std::to_string(kMaxNameBytes) + " bytes";
  if (name.empty()) return cursor.error(start, wanted, "an empty name");
  cursor.name_record(name);
  if (name.size() > kMaxNameBytes) return cursor.error(start, wanted, std::to_string(name.size()) + " bytes");
  if (!seen.insert(name).second)
    return cursor.error(start, "each tensor name once", "the name a second time");
  return name;
}

// Outermost first. The product of all extents but zeros fits i64, so that strides do, too.
Result<std::vector<int64_t>> read_extents(Cursor& cursor) {
  const uint64_t start = cursor.offset();
  TENON_ASSIGN(const uint32_t rank, cursor.number<uint32_t>("the number of dimensions"));
  if (rank > kMaxExtents) {
    return cursor.error(start, "at most " + std::to_string(kMaxExtents) + " dimensions",
                        std::to_string(rank));
  }
  std::vector<int64_t> extents(rank);
  int64_t elements = 1;
  for (uint32_t i = 0; i < rank; ++i) {
    const uint64_t extent_start = cursor.offset();
    TENON_ASSIGN(const int64_t extent, cursor.number<int64_t>("an extent"));
    if (extent < 0) return cursor.error(extent_start, "an extent of 0 or more", std::to_string(extent));
    if (__builtin_mul_overflow(elements, std::max<int64_t>(extent, 1), &elements)) {
      return cursor.error(start, "fewer than 2^63 elements", "extents whose product is beyond that",
                          kTruncatedRemedy);
    }
    extents[rank - 1 - i] = extent;
  }
  return extents;
}

Result<uint64_t> byte_size(const Cursor& cursor, uint64_t start, const TensorInfo& tensor) {
  const ElementTypeInfo& type = info(tensor.element);
  const int64_t row = tensor.extents.empty() ? 1 : tensor.extents.back();
  if (row % type.block_elements != 0) {
    return cursor.error(start,
                        "rows of a multiple of " + std::to_string(type.block_elements) + " elements for " +
                            std::string(type.name),
                        "rows of " + std::to_string(row));
  }
  // Zeros are left out of the product, so that strides fit even where the size is 0.
  int64_t bytes = type.block_bytes;
  bool fits = true, empty = false;
  for (size_t i = 0; i < tensor.extents.size(); ++i) {
    const bool is_row = i + 1 == tensor.extents.size();
    const int64_t extent = is_row ? row / type.block_elements : tensor.extents[i];
    empty = empty || extent == 0;
    fits = fits && !__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes);
  }
  if (!fits) return cursor.error(start, "fewer than 2^63 bytes", "extents that need more", kTruncatedRemedy);
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

Result<Record> read_record(Cursor& cursor, std::unordered_set<std::string_view>& seen) {
  Record record;
  TENON_ASSIGN(record.info.name, read_name(cursor, seen));
  const uint64_t extents_start = cursor.offset();
  TENON_ASSIGN(record.info.extents, read_extents(cursor));
  const uint64_t type_start = cursor.offset();
  TENON_ASSIGN(const uint32_t type_id, cursor.number<uint32_t>("the tensor's type"));
  Result<ElementType> element = element_type_of_file(type_id);
  if (!element.ok()) {
    Error error = std::move(element).error();
    return cursor.error(type_start, std::move(error.wanted), std::move(error.found), std::move(error.remedy),
                        error.code);
  }
  record.info.element = *element;
  TENON_ASSIGN(record.bytes, byte_size(cursor, extents_start, record.info));
  record.offset_start = cursor.offset();
  TENON_ASSIGN(record.info.offset, cursor.number<uint64_t>("the offset of the tensor's data"));
  return record;
}

// Checks the record's offset against the end of the tensors before it and moves that end on.
Status check_offset(const Cursor& cursor, const Record& record, uint32_t alignment, uint64_t& end) {
  const uint64_t offset = record.info.offset;
  const std::string found = "offset " + std::to_string(offset);
  if (offset % alignment != 0) {
    return cursor.error(record.offset_start,
                        "an offset that is a multiple of the alignment " + std::to_string(alignment), found);
  }
  if (offset != end) {
    return cursor.error(record.offset_start,
                        "offset " + std::to_string(end) + ", where the tensor before it ends", found,
                        "tensors must follow each other without holes and overlaps");
  }
  // Both terms are below 2^63, and so must be the sum.
  end += round_up(record.bytes, alignment);
  if (end > INT64_MAX) {
    return cursor.error(record.offset_start, "fewer than 2^63 bytes of tensor data", "tensors that need more",
                        kTruncatedRemedy);
  }
  return {};
}

}  // namespace

Result<TensorTable> read_tensor_table(Cursor& cursor, uint64_t count, uint32_t alignment,
                                      std::span<const std::byte> bytes) {
  std::vector<Record> records;
  std::unordered_set<std::string_view> seen;
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    cursor.begin_record("tensor", i);
    TENON_ASSIGN(Record record, read_record(cursor, seen));
    TENON_RETURN_IF_ERROR(check_offset(cursor, record, alignment, end));
    records.push_back(std::move(record));
  }
  TensorTable table;
  table.data_offset = round_up(cursor.offset(), alignment);
  for (uint64_t i = 0; i < count; ++i) {
    Record& record = records[i];
    record.info.offset += table.data_offset;
    const uint64_t have = bytes.size() - std::min<uint64_t>(record.info.offset, bytes.size());
    if (record.info.offset > bytes.size() || record.bytes > have) {
      cursor.begin_record("tensor", i);
      cursor.name_record(record.info.name);
      return cursor.error(record.info.offset, std::to_string(record.bytes) + " bytes of data",
                          std::to_string(have) + " bytes left in the file", kTruncatedRemedy);
    }
    record.info.data = bytes.subspan(record.info.offset, record.bytes);
    table.tensors.push_back(std::move(record.info));
  }
  return table;
}

}  // namespace tenon::gguf
