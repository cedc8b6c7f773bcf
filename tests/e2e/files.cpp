#include "tests/e2e/files.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/fixtures/catalogue.h"

namespace tenon::e2e {
namespace {

constexpr std::string_view kChatTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("tenon_e2e." + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string model(const char* file) {
  const std::string path = std::string(TENON_SOURCE_DIR "/models/") + file;
  if (!std::filesystem::exists(path)) throw std::runtime_error(path + " is not there: make models");
  return path;
}

std::string written(const gguf::Writer& writer, const std::string& path) {
  if (const Status status = writer.write(path); !status.ok())
    throw std::runtime_error(status.error().message());
  return path;
}

}  // namespace

std::string smollm2() { return model("SmolLM2-135M-Instruct-Q4_1.gguf"); }
std::string qwen() { return model("Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf"); }

std::string scratch(std::string_view name) {
  static const Folder folder;
  return folder.file(name);
}

std::string tiny(std::string_view name) {
  const std::string path = scratch(std::string(name) + ".gguf");
  return std::filesystem::exists(path) ? path : written(make_model(fixtures::fixture(name).spec), path);
}

std::string tiny_chat() {
  const std::string path = scratch("chat.gguf");
  if (std::filesystem::exists(path)) return path;
  gguf::Writer writer = make_model(fixtures::fixture("llama-gqa4x2").spec);
  writer.set("tokenizer.chat_template", kChatTemplate);
  return written(writer, path);
}

std::string tiny_bytes() {
  std::ifstream in(tiny(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string write_scratch(std::string_view name, std::string_view bytes) {
  const std::string path = scratch(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace tenon::e2e
