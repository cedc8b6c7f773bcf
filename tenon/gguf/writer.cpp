#include "tenon/gguf/writer.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tenon::gguf {

namespace {

[[noreturn]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string("[gguf::Writer::") + function + "] " + what);
}

template <class T>
void append(std::vector<std::byte>& out, T value) {
  const size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

void append_string(std::vector<std::byte>& out, std::string_view text) {
  append(out, uint64_t{text.size()});
  const auto bytes = std::as_bytes(std::span(text));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_array_head(std::vector<std::byte>& out, ValueType element, size_t count) {
  append(out, ValueType::kArray);
  append(out, element);
  append(out, uint64_t{count});
}

constexpr size_t kPartBytes = size_t{16} << 20;

size_t round_up(size_t value, size_t alignment) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

Writer::Writer(uint32_t version) : version_(version) {
  if (version != 2 && version != 3)
    refuse("Writer", "version must be 2 or 3, not " + std::to_string(version));
}

Writer& Writer::set_alignment(uint32_t alignment) {
  if (!std::has_single_bit(alignment)) {
    refuse("set_alignment", std::to_string(alignment) + " is not a power of two");
  }
  alignment_ = alignment;
  return set("general.alignment", alignment);
}

void Writer::begin_key(std::string_view key) {
  if (key.empty()) refuse("set", "a key is empty");
  if (std::ranges::find(keys_, key) != keys_.end())
    refuse("set", "key " + std::string(key) + " is set twice");
  keys_.emplace_back(key);
  append_string(metadata_, key);
}

template <class T>
requires(Number<T> || std::same_as<T, bool>) Writer& Writer::set(std::string_view key, T value) {
  begin_key(key);
  append(metadata_, value_type_of<T>());
  append(metadata_, value);
  return *this;
}

template <class T>
requires(Number<T> || std::same_as<T, bool>) Writer& Writer::set(std::string_view key,
                                                                 const std::vector<T>& values) {
  begin_key(key);
  append_array_head(metadata_, value_type_of<T>(), values.size());
  for (const T value : values) append(metadata_, value);
  return *this;
}

Writer& Writer::set(std::string_view key, std::string_view value) {
  begin_key(key);
  append(metadata_, ValueType::kString);
  append_string(metadata_, value);
  return *this;
}

Writer& Writer::set(std::string_view key, const std::vector<std::string>& values) {
  begin_key(key);
  append_array_head(metadata_, ValueType::kString, values.size());
  for (const std::string& value : values) append_string(metadata_, value);
  return *this;
}

Writer& Writer::copy(const MetadataEntry& entry) {
  begin_key(entry.key);
  if (entry.type == ValueType::kArray) {
    append_array_head(metadata_, entry.element, entry.count);
  } else {
    append(metadata_, entry.type);
  }
  metadata_.insert(metadata_.end(), entry.payload.begin(), entry.payload.end());
  return *this;
}

#define TENON_GGUF_SETTERS(T)                           \
  template Writer& Writer::set<T>(std::string_view, T); \
  template Writer& Writer::set<T>(std::string_view, const std::vector<T>&);
TENON_GGUF_SETTERS(bool)
TENON_GGUF_SETTERS(uint8_t)
TENON_GGUF_SETTERS(int8_t)
TENON_GGUF_SETTERS(uint16_t)
TENON_GGUF_SETTERS(int16_t)
TENON_GGUF_SETTERS(uint32_t)
TENON_GGUF_SETTERS(int32_t)
TENON_GGUF_SETTERS(uint64_t)
TENON_GGUF_SETTERS(int64_t)
TENON_GGUF_SETTERS(float)
TENON_GGUF_SETTERS(double)
#undef TENON_GGUF_SETTERS

Writer& Writer::add_tensor(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                           std::span<const std::byte> data) {
  add_tensor(name, element, extents,
             [copy = std::vector(data.begin(), data.end())](std::span<std::byte> out) {
               std::ranges::copy(copy, out.begin());
             });
  if (data.size() != tensors_.back().bytes) {
    const size_t wanted = tensors_.back().bytes;
    tensors_.pop_back();
    refuse("add_tensor", "tensor " + std::string(name) + " has " + std::to_string(wanted) + " bytes, not " +
                             std::to_string(data.size()));
  }
  return *this;
}

Writer& Writer::add_tensor(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                           Fill fill) {
  return add(name, element, extents, SIZE_MAX,
             [fill = std::move(fill)](uint64_t, std::span<std::byte> data) { fill(data); });
}

Writer& Writer::add_tensor_in_parts(std::string_view name, ElementType element,
                                    const std::vector<int64_t>& extents, Part part) {
  const auto block = static_cast<size_t>(info(element).block_bytes);
  return add(name, element, extents, kPartBytes / block * block, std::move(part));
}

Writer& Writer::add(std::string_view name, ElementType element, const std::vector<int64_t>& extents,
                    size_t part_bytes, Part part) {
  const ElementTypeInfo& type = info(element);
  const std::string label = "tensor " + std::string(name);
  if (name.empty()) refuse("add_tensor", "a name is empty");
  if (std::ranges::find(tensors_, name, &Tensor::name) != tensors_.end())
    refuse("add_tensor", label + " is added twice");
  if (!type.ggml_id) refuse("add_tensor", label + ": GGUF has no type " + std::string(type.name));
  int64_t count = 1;
  for (const int64_t extent : extents) count *= extent;
  const int64_t row = extents.empty() ? 1 : extents.back();
  if (count < 0 || row % type.block_elements != 0)
    refuse("add_tensor", label + ": extents do not fit the type");
  tensors_.push_back(
      {std::string(name), element, extents, bytes_for(element, count), part_bytes, std::move(part)});
  return *this;
}

std::vector<std::byte> Writer::head() const {
  std::vector<std::byte> out;
  for (const char c : {'G', 'G', 'U', 'F'}) append(out, c);
  append(out, version_);
  append(out, uint64_t{tensors_.size()});
  append(out, uint64_t{keys_.size()});
  out.insert(out.end(), metadata_.begin(), metadata_.end());
  uint64_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    append_string(out, tensor.name);
    append(out, static_cast<uint32_t>(tensor.extents.size()));
    for (size_t i = tensor.extents.size(); i-- > 0;) append(out, tensor.extents[i]);
    append(out, *info(tensor.element).ggml_id);
    append(out, offset);
    offset += round_up(tensor.bytes, alignment_);
  }
  if (!tensors_.empty()) out.resize(round_up(out.size(), alignment_));
  return out;
}

uint64_t Writer::file_bytes() const {
  uint64_t bytes = head().size();
  for (const Tensor& tensor : tensors_) bytes += round_up(tensor.bytes, alignment_);
  return bytes;
}

void Writer::stream(const Sink& sink) const {
  if (!sink(head())) return;
  std::vector<std::byte> data;
  for (const Tensor& tensor : tensors_) {
    const size_t padded = round_up(tensor.bytes, alignment_);
    for (size_t offset = 0; offset < padded;) {
      const size_t bytes = std::min(tensor.part_bytes, tensor.bytes - offset);
      const bool last = offset + bytes == tensor.bytes;
      data.assign(last ? padded - offset : bytes, std::byte{});
      tensor.part(offset, std::span(data).first(bytes));
      if (!sink(data)) return;
      offset += data.size();
    }
  }
}

std::vector<std::byte> Writer::to_bytes() const {
  std::vector<std::byte> out;
  stream([&out](std::span<const std::byte> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
    return true;
  });
  return out;
}

Status Writer::write(const std::string& path) const {
  const auto fail = [&path] {
    return Error{ErrorCode::kIo, path, "a file that can be written", std::strerror(errno), ""};
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), &std::fclose);
  if (!file) return fail();
  bool ok = true;
  stream([&](std::span<const std::byte> bytes) {
    return ok = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  });
  if (!ok || std::fclose(file.release()) != 0) return fail();
  return {};
}

}  // namespace tenon::gguf
