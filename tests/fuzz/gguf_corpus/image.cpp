#include "tests/fuzz/gguf_corpus/image.h"

#include <stdexcept>
#include <string>

namespace tenon::gguf_corpus {

size_t Image::characters(std::string_view name) const {
  const std::string_view all(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
  const size_t at = all.find(name);
  if (at == std::string_view::npos || all.find(name, at + 1) != std::string_view::npos) {
    throw std::logic_error("[Image::characters] " + std::string(name) + " does not occur exactly once");
  }
  return at;
}

size_t Image::tensor_type(std::string_view tensor) const {
  return extent(tensor, get<uint32_t>(rank(tensor)));
}

}  // namespace tenon::gguf_corpus
