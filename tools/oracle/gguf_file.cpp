#include "gguf_file.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace tenon::oracle {

GgufFile::GgufFile(const std::string& command) : keys_(gguf_init_empty()) {
  gguf_set_val_str(keys_.get(), "oracle.revision", kRevision);
  gguf_set_val_str(keys_.get(), "oracle.command", command.c_str());
}

void GgufFile::add(const std::string& name, Array array) {
  const std::unique_ptr<ggml_context, Free> context(ggml_init({ggml_tensor_overhead(), nullptr, true}));
  ggml_tensor* tensor = ggml_new_tensor(context.get(), array.type, static_cast<int>(array.extents.size()),
                                        array.extents.data());
  ggml_set_name(tensor, name.c_str());
  gguf_add_tensor(keys_.get(), tensor);
  arrays_.push_back(std::move(array));  // moving a vector keeps its bytes where they are
  gguf_set_tensor_data(keys_.get(), name.c_str(), arrays_.back().bytes.data());
}

void GgufFile::write(const std::string& path) const {
  if (!gguf_write_to_file(keys_.get(), path.c_str(), false)) {
    throw std::runtime_error("cannot write " + path);
  }
}

std::string file_hash(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  uint64_t hash = 0xcbf29ce484222325u;
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(block[static_cast<size_t>(i)])) * 0x100000001b3u;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace tenon::oracle
