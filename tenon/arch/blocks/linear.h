// Projections and norms by a file's tensors.
#pragma once

#include "tenon/arch/blocks/transformer.h"

namespace tenon::arch {

// x [.., T, F] -> [.., T, width], by the layer's "<tensor>.weight", plus "<tensor>.bias" where the file has
// one.
Result<decoder::Edge> linear(Transformer& model, decoder::Edge x, int64_t layer, const std::string& tensor,
                             int64_t width, const std::string& node);

// x + the tensor `bias`, where the file has one; else x.
Result<decoder::Edge> add_optional_bias(Transformer& model, decoder::Edge x, const std::string& bias,
                                        std::string node);

// x [.., T, F] -> x / rms(x) ∘ the tensor `weight`.
Result<decoder::Edge> norm(Transformer& model, decoder::Edge x, const std::string& weight, std::string node);

}  // namespace tenon::arch
