#include "tenon/arch/architecture.h"

#include <algorithm>
#include <string>

namespace tenon::arch {

namespace {

constexpr Architecture kArchitectures[] = {
    {"llama", build_llama},
    {"qwen2", build_qwen2},
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
