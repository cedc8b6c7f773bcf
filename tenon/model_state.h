// What a Model holds behind its pointer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tenon/compile.h"
#include "tenon/text/chat_template.h"
#include "tenon/text/tokenizer.h"

namespace tenon {

struct Model::State {
  std::shared_ptr<const gguf::File> file;
  const Device* device = nullptr;
  std::shared_ptr<runtime::Backend> backend;
  std::string architecture;
  int64_t trained_context = 0;
  int64_t vocabulary_rows = 0;
  int64_t parameter_count = 0;
  size_t weight_bytes = 0;
  std::optional<text::Tokenizer> tokenizer;
  Result<text::ChatTemplate> chat_template = Error{};  // the error says why there is none
  std::vector<std::string> notes;
};

}  // namespace tenon
