// The way from a decoder to a graph that backends and hosts take.
#pragma once

#include <vector>

#include "tenon/decoder/decoder.h"
#include "tenon/ir/pass_manager.h"

namespace tenon::pass {

struct ConvertOptions {
  // The caller's passes, above all the one that decides who owns the caches (state/…). They run in this
  // order, before the built-in lowerings, and see a SetRows for every cache write.
  std::vector<ir::Pass> extensions;
  ir::PassOptions passes;
};

// translate, the extensions, lower_set_rows on what they left, prune; verified after every step. Without
// extensions the model is stateless: caches are inputs and outputs. `reports`, if given, gets one entry for
// each pass.
Result<ir::Model> convert(const decoder::Decoder& decoder, const ConvertOptions& options = {},
                          std::vector<ir::PassReport>* reports = nullptr);

}  // namespace tenon::pass
