// make_gguf_corpus FOLDER: writes tests/fuzz/corpus/gguf and its manifest beside it, gguf.tsv.
// make_gguf_corpus --check FOLDER: exits with 1 when what lies there differs from what would be written.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string_view>

#include "tests/fuzz/gguf_corpus/cases.h"

namespace {

using namespace tenon::gguf_corpus;
namespace fs = std::filesystem;

// Path to content of every file, the manifest among them.
std::map<fs::path, std::string> corpus(const fs::path& folder) {
  std::map<fs::path, std::string> files;
  std::string manifest = "# file\tquery\tcode\tthe error message begins with; written by make_gguf_corpus\n";
  for (const auto cases : {header_cases, metadata_cases, alignment_cases, tensor_cases, tensor_type_cases,
                           tensor_data_cases, value_cases}) {
    for (const Case& one : cases()) {
      const std::string name = one.file + ".gguf";
      const std::string content(reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size());
      if (!files.emplace(folder / name, content).second)
        throw std::logic_error("two cases are called " + name);
      manifest += name + '\t' + one.query + '\t' + one.code + '\t' + one.message + '\n';
    }
  }
  fs::path manifest_path = folder;
  files.emplace(manifest_path.concat(".tsv"), manifest);
  return files;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int check(const fs::path& folder) {
  int differing = 0;
  for (const auto& [path, content] : corpus(folder)) {
    if (fs::exists(path) && read(path) == content) continue;
    std::fprintf(stderr, "%s is not what make_gguf_corpus writes\n", path.c_str());
    ++differing;
  }
  return differing == 0 ? 0 : 1;
}

int write(const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [path, content] : corpus(folder)) std::ofstream(path, std::ios::binary) << content;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return write(argv[1]);
  if (argc == 3 && std::string_view(argv[1]) == "--check") return check(argv[2]);
  std::fputs("usage: make_gguf_corpus [--check] FOLDER\n", stderr);
  return 2;
}
