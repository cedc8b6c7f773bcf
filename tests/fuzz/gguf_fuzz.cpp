// The GGUF reader on arbitrary bytes: opens them and, where that works, asks every question that the reader
// answers and touches every byte that it hands out.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>

#include "tenon/gguf/file.h"

namespace {

using tenon::gguf::File;
using tenon::gguf::Metadata;
using tenon::gguf::ValueType;

volatile uint64_t sink;  // keeps the compiler from dropping the reads

void touch(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (const std::byte byte : bytes) sum += std::to_integer<uint64_t>(byte);
  sink = sum;
}

template <class T>
void touch(const tenon::Result<T>& result) {
  sink = result.ok() ? 0 : result.error().message().size();
}

void ask_for_everything(const Metadata& metadata, std::string_view key) {
  touch(metadata.unsigned_integer(key));
  touch(metadata.unsigned_integer(key, 3));
  touch(metadata.signed_integer(key));
  touch(metadata.signed_integer(key, -3));
  touch(metadata.floating(key));
  touch(metadata.floating(key, 0.5));
  touch(metadata.boolean(key));
  touch(metadata.boolean(key, true));
  touch(metadata.string(key));
  touch(metadata.string(key, ""));
  touch(metadata.array<uint8_t>(key));
  touch(metadata.array<int8_t>(key));
  touch(metadata.array<uint16_t>(key));
  touch(metadata.array<int16_t>(key));
  touch(metadata.array<uint32_t>(key));
  touch(metadata.array<int32_t>(key));
  touch(metadata.array<uint64_t>(key));
  touch(metadata.array<int64_t>(key));
  touch(metadata.array<float>(key));
  touch(metadata.array<double>(key));
  touch(metadata.integers(key));
  touch(metadata.integers(key, {ValueType::kI32, ValueType::kU32}));
  touch(metadata.booleans(key));
  if (const auto strings = metadata.strings(key); strings.ok()) {
    for (const std::string_view text : *strings) touch(std::as_bytes(std::span(text)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = File::parse(std::as_bytes(std::span(data, size)));
  touch(file);
  if (!file.ok()) return 0;
  const Metadata& metadata = (*file)->metadata();
  for (const auto& entry : metadata.entries()) {
    touch(std::as_bytes(std::span(entry.key)));
    touch(entry.payload);
    ask_for_everything(metadata, entry.key);
  }
  ask_for_everything(metadata, "no.such.key");
  touch(metadata.architecture());
  for (const auto& tensor : (*file)->tensors()) {
    touch(std::as_bytes(std::span(tensor.name)));
    touch(tensor.data);
    const int64_t count =
        std::accumulate(tensor.extents.begin(), tensor.extents.end(), int64_t{1}, std::multiplies<>());
    const bool sound = tenon::bytes_for(tensor.element, count) == tensor.data.size() &&
                       tensor.offset % (*file)->alignment() == 0 &&
                       tensor.data.data() == (*file)->bytes().data() + tensor.offset &&
                       (*file)->find_tensor(tensor.name) == &tensor;
    if (!sound) __builtin_trap();
  }
  touch((*file)->tensor("no.such.tensor"));
  return 0;
}
