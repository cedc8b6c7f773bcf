#include <stdexcept>

#include "capture.h"
#include "gguf.h"
#include "gguf_file.h"

namespace tenon::oracle {
namespace {

struct SetAttribute {
  gguf_context* file;
  const char* key;

  void operator()(bool value) const { gguf_set_val_bool(file, key, value); }
  void operator()(int32_t value) const { gguf_set_val_i32(file, key, value); }
  void operator()(int64_t value) const { gguf_set_val_i64(file, key, value); }
  void operator()(float value) const { gguf_set_val_f32(file, key, value); }
  void operator()(const std::string& value) const { gguf_set_val_str(file, key, value.c_str()); }
  void operator()(const std::vector<int32_t>& value) const {
    gguf_set_arr_data(file, key, GGUF_TYPE_INT32, value.data(), value.size());
  }
  void operator()(const std::vector<int64_t>& value) const {
    gguf_set_arr_data(file, key, GGUF_TYPE_INT64, value.data(), value.size());
  }
};

}  // namespace

void Capture::write(const std::string& path, const std::string& command) const {
  GgufFile file(command);
  gguf_set_val_str(file.keys(), "op", op_.c_str());
  std::vector<const char*> names;
  for (const CapturedCase& captured : cases_) names.push_back(captured.name.c_str());
  gguf_set_arr_str(file.keys(), "cases", names.data(), names.size());
  for (size_t i = 0; i < cases_.size(); ++i) {
    const std::string prefix = "case" + std::to_string(i) + ".";
    for (const auto& [name, value] : cases_[i].attributes) {
      std::visit(SetAttribute{file.keys(), (prefix + "attribute." + name).c_str()}, value);
    }
    for (const auto& [name, array] : cases_[i].tensors) file.add(prefix + name, array);
  }
  file.write(path);
}

}  // namespace tenon::oracle
