// A GGUF container, opened: header, metadata, tensor table, and tensor data left where it lies in the
// mapping.
//
// Accepted: little-endian versions 2 and 3. Everything that the rest of the program relies on is checked at
// opening, so that a File that exists is sound: every view lies inside the bytes, every tensor's data is
// there in full, tensors follow each other without holes or overlaps (as llama.cpp wants them), names and
// keys are unique.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tenon/base/mapped_file.h"
#include "tenon/base/result.h"
#include "tenon/gguf/metadata.h"
#include "tenon/type/element_type.h"

namespace tenon::gguf {

struct TensorInfo {
  std::string_view name;  // view into the file
  ElementType element = ElementType::kF32;
  // Outermost first, as in tenon::TensorType: the file's (ggml's) ne[0] … ne[n-1] in reverse, so that the
  // last extent is the contiguous one and counts the elements of a row. At most 4; none for a scalar; 0 is
  // allowed.
  std::vector<int64_t> extents;
  uint64_t offset = 0;              // of the data, in bytes from the start of the file
  std::span<const std::byte> data;  // view into the file; a multiple of alignment() from its start
};

class File {
 public:
  // Maps the file (UTF-8 path). Errors name the path; kIo from the system, kInvalidFile for bytes that break
  // the format, kUnsupported for version 1, big-endian files and element types that this build cannot run.
  static Result<std::shared_ptr<const File>> open(const std::string& path);
  // The same for bytes in memory, which must outlive the File unless `owner` keeps them alive.
  static Result<std::shared_ptr<const File>> parse(std::span<const std::byte> bytes,
                                                   std::shared_ptr<const void> owner = nullptr);

  uint32_t version() const { return version_; }
  uint32_t alignment() const { return alignment_; }  // of tensor data; general.alignment or 32
  // Where tensor data starts, from the start of the file.
  uint64_t data_offset() const { return data_offset_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  // The mapping that a Constant shares, or nullptr for a File made by parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

  // `result`, whose error gets the path of a mapped file before its place: readers of metadata and tensors
  // name what they read and not where it lies.
  template <class T>
  Result<T> located(Result<T> result) const {
    if (!result.ok()) return located(std::move(result).error());
    return result;
  }

  const Metadata& metadata() const { return metadata_; }

  std::span<const TensorInfo> tensors() const { return tensors_; }  // in the file's order
  const TensorInfo* find_tensor(std::string_view name) const;       // nullptr when absent
  Result<const TensorInfo*> tensor(std::string_view name) const;  // never nullptr; an error names the tensor

 private:
  File() = default;
  Result<void> read(std::span<const std::byte> bytes);
  Error located(Error error) const;

  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  uint32_t version_ = 0;
  uint32_t alignment_ = 0;
  uint64_t data_offset_ = 0;
  Metadata metadata_;
  std::vector<TensorInfo> tensors_;
  std::unordered_map<std::string_view, size_t> tensor_index_;
};

}  // namespace tenon::gguf
