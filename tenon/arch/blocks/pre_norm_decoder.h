// The decoder that most families are: norm, attention, add; norm, feed-forward, add.
#pragma once

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

// What differs from family to family.
struct PreNormFamily {
  decoder::RopeMode rope_mode;
  ScalePlace feed_forward_scale;
};

// Attention and feed-forward as in blocks/attention.h and blocks/feed_forward.h. The last layer goes on with
// the rows of inp_out_ids alone after its attention.
Result<std::unique_ptr<decoder::Decoder>> build_pre_norm_decoder(std::shared_ptr<const gguf::File> file,
                                                                 const BuildOptions& options,
                                                                 const PreNormFamily& family);

}  // namespace tenon::arch
