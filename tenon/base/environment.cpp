#include "tenon/base/environment.h"

#include <cstdlib>
#include <stdexcept>

namespace tenon {

namespace {

struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;
};

// Sorted by name.
constexpr EnvironmentVariable kVariables[] = {
    {"HOME", "the user's folder, below which the cache is"},
    {"PATH", "folders in which llama.cpp's programs are looked for"},
    {"TENON_CPU_ISA", "forces the CPU kernels: avx2, avx512 or avx512fp16"},
    {"TENON_DISABLE_KV_4D", "1 keeps the copying cache layout everywhere, as --kv-layout copy does"},
    {"XDG_CACHE_HOME", "the cache, where it is not $HOME/.cache"},
};

}  // namespace

std::optional<std::string> environment(std::string_view name) {
  for (const EnvironmentVariable& variable : kVariables) {
    if (variable.name != name) continue;
    const char* value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
  }
  throw std::logic_error("[environment] no variable is registered as " + std::string(name));
}

}  // namespace tenon
