// Projections and norms by a file's tensors.
#pragma once

#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// Where a projection's "<tensor>.scale", one number, is multiplied in, as llama.cpp does it for each family.
enum class ScalePlace { kBeforeBias, kAfterBias, kNowhere };

// x [.., T, F] -> [.., T, width], by the layer's "<tensor>.weight", with "<tensor>.bias" and "<tensor>.scale"
// where the file has them.
Result<decoder::Edge> linear(Transformer& model, decoder::Edge x, int64_t layer, const std::string& tensor,
                             int64_t width, const std::string& node,
                             ScalePlace scale = ScalePlace::kBeforeBias);

// x + the tensor `bias`, where the file has one; else x.
Result<decoder::Edge> add_optional_bias(Transformer& model, decoder::Edge x, const std::string& bias,
                                        std::string node);

// x [.., T, F] -> x / rms(x) ∘ the tensor `weight`.
Result<decoder::Edge> norm(Transformer& model, decoder::Edge x, const std::string& weight, std::string node);

}  // namespace tenon::arch
