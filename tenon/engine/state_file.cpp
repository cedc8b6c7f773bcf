#include "tenon/engine/state_file.h"

#include <cstdio>
#include <cstring>

#include "tenon/gguf/new_file.h"

namespace tenon::engine {

namespace {

constexpr std::string_view kKind = "tenon-state";
constexpr uint32_t kFormat = 1;
constexpr std::string_view kRows = "state";

// FNV-1a, 64 bits: tells files apart, and is no protection against a forged one.
class Digest {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<uint64_t>(byte)) * 0x100000001b3u;
  }
  void add(std::string_view text) {
    add(std::as_bytes(std::span(text)));
    add(static_cast<uint64_t>(text.size()));
  }
  void add(uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  std::string text() const {
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(value_));
    return out;
  }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

Status check_field(const gguf::File& file, std::string_view field, std::string_view wanted) {
  TENON_ASSIGN(const std::string_view found, file.metadata().string(field));
  if (found == wanted) return {};
  return Error{ErrorCode::kInvalidArgument, "key '" + std::string(field) + "'",
               "'" + std::string(wanted) + "'", "'" + std::string(found) + "'",
               "the state belongs to another model or another type of cache"};
}

Result<SavedState> read(const gguf::File& file, const StateIdentity& wanted) {
  TENON_RETURN_IF_ERROR(check_field(file, "general.architecture", kKind));
  TENON_ASSIGN(const uint64_t format, file.metadata().unsigned_integer("tenon.format"));
  if (format != kFormat) {
    return Error{ErrorCode::kUnsupported, "key 'tenon.format'", std::to_string(kFormat),
                 std::to_string(format), "save the state anew"};
  }
  TENON_RETURN_IF_ERROR(check_field(file, "tenon.architecture", wanted.architecture));
  TENON_RETURN_IF_ERROR(check_field(file, "tenon.hyperparameters", wanted.hyperparameters));
  TENON_RETURN_IF_ERROR(check_field(file, "tenon.tensors", wanted.tensors));
  TENON_RETURN_IF_ERROR(check_field(file, "tenon.kv_type", wanted.kv_type));
  SavedState out;
  TENON_ASSIGN(const int64_t length, file.metadata().signed_integer("tenon.length"));
  TENON_ASSIGN(out.tokens, file.metadata().array<int32_t>("tenon.tokens"));
  if (static_cast<int64_t>(out.tokens.size()) != length) {
    return Error{ErrorCode::kInvalidFile, "key 'tenon.length'", std::to_string(out.tokens.size()) + " tokens",
                 std::to_string(length), ""};
  }
  TENON_ASSIGN(const gguf::TensorInfo* const rows, file.tensor(kRows));
  if (rows->element != ElementType::kI8) {
    return Error{ErrorCode::kInvalidFile, "tensor '" + std::string(kRows) + "'", "type i8",
                 std::string(name(rows->element)), ""};
  }
  out.bytes.assign(rows->data.begin(), rows->data.end());
  return out;
}

}  // namespace

StateIdentity state_identity(const gguf::File& file, std::string kv_type) {
  StateIdentity out;
  out.architecture = file.metadata().architecture().ok() ? *file.metadata().architecture() : "";
  out.kv_type = std::move(kv_type);
  Digest hyperparameters, tensors;
  for (const gguf::MetadataEntry& entry : file.metadata().entries()) {
    if (!entry.key.starts_with(out.architecture + ".")) continue;
    hyperparameters.add(entry.key);
    hyperparameters.add(entry.payload);
  }
  for (const gguf::TensorInfo& tensor : file.tensors()) {
    tensors.add(tensor.name);
    tensors.add(name(tensor.element));
    for (const int64_t extent : tensor.extents) tensors.add(static_cast<uint64_t>(extent));
  }
  out.hyperparameters = hyperparameters.text();
  out.tensors = tensors.text();
  return out;
}

Status write_state(const std::string& path, const StateIdentity& identity, const SavedState& state) {
  gguf::Writer writer;
  writer.set("general.architecture", kKind)
      .set("tenon.format", kFormat)
      .set("tenon.architecture", identity.architecture)
      .set("tenon.hyperparameters", identity.hyperparameters)
      .set("tenon.tensors", identity.tensors)
      .set("tenon.kv_type", identity.kv_type)
      .set("tenon.length", static_cast<int64_t>(state.tokens.size()))
      .set("tenon.tokens", state.tokens);
  writer.add_tensor(kRows, ElementType::kI8, {static_cast<int64_t>(state.bytes.size())}, state.bytes);
  return gguf::write_new_file(writer, path, {.replace = true});
}

Result<SavedState> read_state(const std::string& path, const StateIdentity& wanted) {
  TENON_ASSIGN(const std::shared_ptr<const gguf::File> file, gguf::File::open(path));
  return file->located(read(*file, wanted));
}

}  // namespace tenon::engine
