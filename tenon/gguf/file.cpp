#include "tenon/gguf/file.h"

#include "tenon/gguf/cursor.h"
#include "tenon/gguf/header.h"
#include "tenon/gguf/metadata_reader.h"
#include "tenon/gguf/tensor_table.h"

namespace tenon::gguf {

Result<std::shared_ptr<const File>> File::open(const std::string& path) {
  TENON_ASSIGN(std::shared_ptr<const MappedFile> mapping, MappedFile::open(path));
  std::shared_ptr<File> file(new File);
  file->mapping_ = std::move(mapping);
  TENON_RETURN_IF_ERROR(file->located(file->read(file->mapping_->bytes())));
  return std::shared_ptr<const File>(std::move(file));
}

Result<std::shared_ptr<const File>> File::parse(std::span<const std::byte> bytes,
                                                std::shared_ptr<const void> owner) {
  std::shared_ptr<File> file(new File);
  file->owner_ = std::move(owner);
  TENON_RETURN_IF_ERROR(file->read(bytes));
  return std::shared_ptr<const File>(std::move(file));
}

Status File::read(std::span<const std::byte> bytes) {
  bytes_ = bytes;
  Cursor cursor(bytes);
  TENON_ASSIGN(const Header header, read_header(cursor));
  version_ = header.version;
  TENON_ASSIGN(metadata_, read_metadata(cursor, header.key_count));
  TENON_ASSIGN(alignment_, alignment_of(metadata_));
  TENON_ASSIGN(TensorTable table, read_tensor_table(cursor, header.tensor_count, alignment_, bytes));
  data_offset_ = table.data_offset;
  tensors_ = std::move(table.tensors);
  for (size_t i = 0; i < tensors_.size(); ++i) tensor_index_.emplace(tensors_[i].name, i);
  return {};
}

Error File::located(Error error) const {
  if (mapping_) error.where = mapping_->path() + ": " + error.where;
  return error;
}

const TensorInfo* File::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

Result<const TensorInfo*> File::tensor(std::string_view name) const {
  if (const TensorInfo* found = find_tensor(name)) return found;
  return Error{ErrorCode::kInvalidFile, "tensor " + quoted(name), "a tensor of that name",
               "none among " + std::to_string(tensors_.size()) + " tensors", ""};
}

}  // namespace tenon::gguf
