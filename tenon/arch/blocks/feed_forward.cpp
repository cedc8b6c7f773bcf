#include "tenon/arch/blocks/feed_forward.h"

namespace tenon::arch {

using decoder::Edge;

Result<Edge> swiglu_feed_forward(Transformer& model, Edge x, int64_t layer, ScalePlace scale) {
  const int64_t width = model.hyperparameters.feed_forward;
  TENON_ASSIGN(const Edge up, linear(model, x, layer, "ffn_up", width, "ffn_up", scale));
  TENON_ASSIGN(const Edge gate, linear(model, x, layer, "ffn_gate", width, "ffn_gate", scale));
  const Edge activated = model.graph.swiglu(gate, up, layer_node("ffn_swiglu", layer));
  return linear(model, activated, layer, "ffn_down", model.hyperparameters.embedding, "ffn_out", scale);
}

}  // namespace tenon::arch
