#include "cli/llama_bench.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/child.h"
#include "tenon/base/environment.h"

namespace tenon::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "llama-bench";
constexpr const char* kScript = "tools/oracle/setup.sh";

bool runs(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> in_path() {
  const std::string folders = environment("PATH").value_or("");
  for (size_t begin = 0; begin <= folders.size();) {
    const size_t end = std::min(folders.find(':', begin), folders.size());
    const fs::path path = fs::path(folders.substr(begin, end - begin)) / kProgram;
    if (end > begin && runs(path)) return path.string();
    begin = end + 1;
  }
  return std::nullopt;
}

// Where tools/oracle/setup.sh builds it.
fs::path in_cache() {
  const std::string home = environment("HOME").value_or("");
  const std::string cache = environment("XDG_CACHE_HOME").value_or("");
  return (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "tenon/oracle/build/bin" / kProgram;
}

// The script of the source tree below which this program was built.
std::optional<std::string> build_script() {
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level < 4 && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
    if (runs(folder / kScript)) return (folder / kScript).string();
  }
  return std::nullopt;
}

Error none(const std::string& where, const std::string& found) {
  return {ErrorCode::kInvalidArgument, where, "llama.cpp's llama-bench", found,
          "build llama.cpp and give the path with --llama-bench, or run tools/oracle/setup.sh of Tenon's "
          "sources"};
}

}  // namespace

Result<std::string> find_llama_bench(const std::string& given) {
  if (!given.empty()) {
    if (given.find('/') == std::string::npos) return none("--llama-bench", "a name without a folder");
    return runs(given) ? Result<std::string>(given) : none("--llama-bench", "no program at '" + given + "'");
  }
  if (const auto path = in_path()) return *path;
  if (runs(in_cache())) return in_cache().string();
  const auto script = build_script();
  if (!script) return none("--vs", "none in PATH and in the cache");
  std::fprintf(stderr, "tenon: building llama.cpp once, which takes minutes\n");
  TENON_ASSIGN(const ChildOutcome outcome, run_child({*script}, ChildOutput::kToStderr));
  if (outcome.status == 0 && runs(in_cache())) return in_cache().string();
  return none("--vs", "a build that failed (its messages are above)");
}

std::vector<std::string> LlamaVariant::flags() const {
  return {"--repack", repack ? "1" : "0", "-fa", flash_attention ? "1" : "0"};
}

std::string LlamaVariant::name() const {
  std::string out;
  for (const std::string& flag : flags()) out += (out.empty() ? "" : " ") + flag;
  return out;
}

}  // namespace tenon::cli
