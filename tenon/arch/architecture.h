// From a GGUF file to a decoder, by the file's architecture.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "tenon/arch/blocks/transformer.h"
#include "tenon/decoder/decoder.h"
#include "tenon/gguf/file.h"

namespace tenon::arch {

// One model family: general.architecture and the function that builds its graph.
struct Architecture {
  std::string_view name;
  Result<std::unique_ptr<decoder::Decoder>> (*build)(std::shared_ptr<const gguf::File> file,
                                                     const BuildOptions& options);
};

// The known families, sorted by name.
std::span<const Architecture> architectures();

// The decoder shares the file: weights are the file's own bytes. Errors: an unknown architecture (the error
// lists the known ones), or whatever is wrong with the file's metadata and tensors, by name.
Result<std::unique_ptr<decoder::Decoder>> build_decoder(
    std::shared_ptr<const gguf::File> file, const BuildOptions& options = {},
    std::span<const Architecture> known = architectures());

// One file for each family.
Result<std::unique_ptr<decoder::Decoder>> build_gemma3(std::shared_ptr<const gguf::File>,
                                                       const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_gemma4(std::shared_ptr<const gguf::File>,
                                                       const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_gpt_oss(std::shared_ptr<const gguf::File>,
                                                        const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_llama(std::shared_ptr<const gguf::File>, const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_mamba2(std::shared_ptr<const gguf::File>,
                                                       const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_phi3(std::shared_ptr<const gguf::File>, const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_qwen2(std::shared_ptr<const gguf::File>, const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_qwen3(std::shared_ptr<const gguf::File>, const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_qwen35(std::shared_ptr<const gguf::File>,
                                                       const BuildOptions&);
Result<std::unique_ptr<decoder::Decoder>> build_qwen3moe(std::shared_ptr<const gguf::File>,
                                                         const BuildOptions&);

}  // namespace tenon::arch
