#include "tenon/rewrite/exact_model.h"

#include <algorithm>

#include "tenon/base/thread_pool.h"
#include "tenon/quant/block_format.h"

namespace tenon::rewrite {

namespace {

constexpr uint32_t kAllF32 = 0;  // of general.file_type
constexpr std::string_view kAlignment = "general.alignment", kFileType = "general.file_type";

// nullptr where the tensor is copied.
const quant::BlockFormat* format_of(ElementType type) {
  const auto formats = quant::block_formats();
  const auto found = std::ranges::find(formats, type, &quant::BlockFormat::type);
  return found == formats.end() ? nullptr : &*found;
}

void copy_keys(const gguf::File& file, gguf::Writer& writer) {
  for (const gguf::MetadataEntry& entry : file.metadata().entries()) {
    if (entry.key == kAlignment) {
      writer.set_alignment(file.alignment());
    } else if (entry.key == kFileType) {
      writer.set(kFileType, kAllF32);
    } else {
      writer.copy(entry);
    }
  }
  if (!file.metadata().contains(kFileType)) writer.set(kFileType, kAllF32);
}

}  // namespace

gguf::Writer exact_model(std::shared_ptr<const gguf::File> file, int threads) {
  const auto pool = std::make_shared<ThreadPool>(threads);
  gguf::Writer writer(file->version());
  copy_keys(*file, writer);
  for (const gguf::TensorInfo& tensor : file->tensors()) {
    const quant::BlockFormat* const format = format_of(tensor.element);
    if (format == nullptr) {
      writer.add_tensor_in_parts(tensor.name, tensor.element, tensor.extents,
                                 [file, source = tensor.data](uint64_t offset, std::span<std::byte> data) {
                                   std::ranges::copy(source.subspan(offset, data.size()), data.begin());
                                 });
      continue;
    }
    const ElementTypeInfo& type = info(tensor.element);
    writer.add_tensor_in_parts(
        tensor.name, ElementType::kF32, tensor.extents,
        [file, format, &type, source = tensor.data, pool](uint64_t offset, std::span<std::byte> data) {
          const auto values = static_cast<int64_t>(data.size() / sizeof(float));
          auto* const out = reinterpret_cast<float*>(data.data());
          const std::byte* const in =
              source.data() + bytes_for(type.type, static_cast<int64_t>(offset / sizeof(float)));
          pool->run([&](const Worker& worker) {
            const auto [begin, end] = worker.share(values, type.block_elements);
            format->decode_row(in + bytes_for(type.type, begin), out + begin, end - begin);
          });
        });
  }
  return writer;
}

}  // namespace tenon::rewrite
