#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>

#include "commands.h"
#include "ggml.h"
#include "gguf.h"

namespace tenon::oracle {
namespace {

struct Loaded {
  explicit Loaded(const std::string& path) {
    file = gguf_init_from_file(path.c_str(), {false, &context});
    if (file == nullptr) throw std::runtime_error("cannot read " + path);
  }
  ~Loaded() { gguf_free(file), ggml_free(context); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  ggml_context* context = nullptr;
  gguf_context* file = nullptr;
};

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Names the tensors that differ, with the largest absolute difference where both are F32 of one shape.
void explain(const std::filesystem::path& left, const std::filesystem::path& right) {
  const Loaded a(left), b(right);
  int named = 0;
  for (int64_t i = 0; i < gguf_get_n_tensors(a.file); ++i) {
    const ggml_tensor* x = ggml_get_tensor(a.context, gguf_get_tensor_name(a.file, i));
    const ggml_tensor* y = ggml_get_tensor(b.context, x->name);
    if (y == nullptr || x->type != y->type || !ggml_are_same_shape(x, y)) {
      ++named, std::printf("  %s: missing, or of another type or shape\n", x->name);
    } else if (std::memcmp(x->data, y->data, ggml_nbytes(x)) != 0) {
      float worst = 0.0f;
      if (x->type == GGML_TYPE_F32) {
        for (int64_t j = 0; j < ggml_nelements(x); ++j) {
          const float difference =
              static_cast<const float*>(x->data)[j] - static_cast<const float*>(y->data)[j];
          worst = std::max(worst, std::abs(difference));
        }
      }
      ++named, std::printf("  %s: other values, worst difference %g\n", x->name, worst);
    }
  }
  if (named == 0) std::printf("  tensors agree: keys, or tensors of the second file alone, differ\n");
}

}  // namespace

int run_compare(std::vector<std::string> arguments) {
  if (arguments.size() != 2) throw std::invalid_argument("wants two folders");
  std::set<std::filesystem::path> names;
  for (const std::string& folder : arguments) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".gguf") names.insert(entry.path().filename());
    }
  }
  if (names.empty()) throw std::runtime_error("no captures to compare");
  int different = 0;
  for (const auto& name : names) {
    const std::filesystem::path left = arguments[0] / name, right = arguments[1] / name;
    if (!std::filesystem::exists(left) || !std::filesystem::exists(right)) {
      ++different, std::printf("%s: only in one folder\n", name.c_str());
    } else if (read_bytes(left) != read_bytes(right)) {
      ++different, std::printf("%s: differs\n", name.c_str());
      explain(left, right);
    }
  }
  std::printf("%zu captures compared, %d differ\n", names.size(), different);
  return different == 0 ? 0 : 1;
}

}  // namespace tenon::oracle
