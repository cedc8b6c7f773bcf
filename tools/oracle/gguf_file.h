// A GGUF file that the oracle writes, by ggml's own writer, with the keys that say where it comes from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "array.h"
#include "ggml.h"
#include "gguf.h"

namespace tenon::oracle {

inline constexpr char kRevision[] = "llama-cpp-python 0.3.36";

class GgufFile {
 public:
  // `command` is what made the file, without the names of folders: it must be the same on every machine.
  explicit GgufFile(const std::string& command);

  gguf_context* keys() const { return keys_.get(); }
  void add(const std::string& name, Array array);
  void write(const std::string& path) const;  // throws std::runtime_error

 private:
  struct Free {
    void operator()(gguf_context* keys) const { gguf_free(keys); }
    void operator()(ggml_context* context) const { ggml_free(context); }
  };
  std::unique_ptr<gguf_context, Free> keys_;
  std::vector<Array> arrays_;
};

// 64-bit FNV-1a of a whole file, in hex: ties a capture to the bytes of the model it was taken from.
std::string file_hash(const std::string& path);

}  // namespace tenon::oracle
