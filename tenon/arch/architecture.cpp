#include "tenon/arch/architecture.h"

#include <algorithm>
#include <string>

namespace tenon::arch {

namespace {

constexpr Architecture kArchitectures[] = {
    {"gemma3", build_gemma3},     {"gemma4", build_gemma4}, {"gpt-oss", build_gpt_oss},
    {"llama", build_llama},       {"mamba2", build_mamba2}, {"phi3", build_phi3},
    {"qwen2", build_qwen2},       {"qwen3", build_qwen3},   {"qwen35", build_qwen35},
    {"qwen3moe", build_qwen3moe},
};

}  // namespace

std::span<const Architecture> architectures() { return kArchitectures; }

Result<std::unique_ptr<decoder::Decoder>> build_decoder(std::shared_ptr<const gguf::File> file,
                                                        const BuildOptions& options,
                                                        std::span<const Architecture> known) {
  TENON_ASSIGN(const std::string_view name, file->metadata().architecture());
  const auto row = std::find_if(known.begin(), known.end(),
                                [&](const Architecture& family) { return family.name == name; });
  if (row != known.end()) return row->build(std::move(file), options);
  std::string names;
  for (const Architecture& family : known) names += (names.empty() ? "" : ", ") + std::string(family.name);
  return Error{ErrorCode::kUnsupported, "general.architecture", "one of " + names,
               "'" + std::string(name) + "'", ""};
}

}  // namespace tenon::arch
