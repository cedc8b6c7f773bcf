// The decoder that most families are: norm, attention, add; norm, feed-forward, add.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenon/arch/blocks/attention.h"
#include "tenon/arch/blocks/experts.h"
#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

// What differs from family to family.
struct PreNormFamily {
  AttentionFamily attention;
  ScalePlace feed_forward_scale;
  std::optional<ExpertsFamily> experts = {};  // in the place of the dense network
  bool fused_gate_up = false;                 // the dense network's gate and up are one tensor
  std::string feed_forward_norm = "ffn_norm";
  std::vector<std::string> unused_tensors = {};  // which files may hold and the graph does not read
};

// Attention and feed-forward as in blocks/attention.h, blocks/feed_forward.h and blocks/experts.h. The last
// layer goes on with the rows of inp_out_ids alone after its attention.
Result<std::unique_ptr<decoder::Decoder>> build_pre_norm_decoder(std::shared_ptr<const gguf::File> file,
                                                                 const BuildOptions& options,
                                                                 const PreNormFamily& family,
                                                                 Hyperparameters hyperparameters);
// With read_hyperparameters().
Result<std::unique_ptr<decoder::Decoder>> build_pre_norm_decoder(std::shared_ptr<const gguf::File> file,
                                                                 const BuildOptions& options,
                                                                 const PreNormFamily& family);

}  // namespace tenon::arch
