// Masks as hosts take them, built from the attention mask of a batch.
#pragma once

#include <map>

#include "tenon/op/build.h"

namespace tenon::pass {

// f32 [B,1,T,KV]: 0 where a query sees a key, -65504 elsewhere. Queries are the last T of KV cells; keys that
// `attention_mask` (i64 [B,KV]) has as 0 are seen by none.
class DenseMasks {
 public:
  // `ids` is [B,T].
  DenseMasks(ir::Model& model, ir::Value attention_mask, ir::Value ids)
      : build_(model, "mask"), attention_mask_(attention_mask), ids_(ids), model_(model) {}

  // `kind` is causal, window (of `window` tokens) or bidirectional. Made once each.
  Result<ir::Value> get(ir::MaskKind kind, int64_t window);

 private:
  Result<ir::Value> visible(ir::MaskKind kind, int64_t window);
  Result<ir::Value> not_padded();

  op::Builder build_;
  ir::Value attention_mask_, ids_;
  ir::Model& model_;
  std::map<std::pair<ir::MaskKind, int64_t>, ir::Value> made_;
};

}  // namespace tenon::pass
