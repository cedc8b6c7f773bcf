#include "tenon/arch/blocks/feed_forward.h"

#include "tenon/arch/blocks/channel_parts.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

using GatedUnit = Edge (GraphBuilder::*)(Edge gate, Edge up, std::string name);

Result<Edge> gated_feed_forward(Transformer& model, Edge x, int64_t layer, int64_t width, ScalePlace scale,
                                GatedUnit unit, const char* node) {
  TENON_ASSIGN(const Edge up, linear(model, x, layer, "ffn_up", width, "ffn_up", scale));
  TENON_ASSIGN(const Edge gate, linear(model, x, layer, "ffn_gate", width, "ffn_gate", scale));
  const Edge activated = (model.graph.*unit)(gate, up, layer_node(node, layer));
  return linear(model, activated, layer, "ffn_down", model.hyperparameters.embedding, "ffn_out", scale);
}

}  // namespace

Result<Edge> swiglu_feed_forward(Transformer& model, Edge x, int64_t layer, ScalePlace scale) {
  return gated_feed_forward(model, x, layer, model.hyperparameters.feed_forward, scale, &GraphBuilder::swiglu,
                            "ffn_swiglu");
}

Result<Edge> fused_swiglu_feed_forward(Transformer& model, Edge x, int64_t layer, ScalePlace scale) {
  const int64_t width = model.hyperparameters.feed_forward;
  TENON_ASSIGN(const Edge both, linear(model, x, layer, "ffn_up", 2 * width, "ffn_gate_up", scale));
  ChannelParts parts(model.graph, both);
  const Edge gate = parts.next(width, layer_node("ffn_gate", layer));
  const Edge up = parts.next(width, layer_node("ffn_up", layer));
  const Edge activated = model.graph.swiglu(gate, up, layer_node("ffn_swiglu", layer));
  return linear(model, activated, layer, "ffn_down", model.hyperparameters.embedding, "ffn_out", scale);
}

Result<Edge> geglu_feed_forward(Transformer& model, Edge x, int64_t layer, int64_t width, ScalePlace scale) {
  return gated_feed_forward(model, x, layer, width, scale, &GraphBuilder::geglu, "ffn_geglu");
}

}  // namespace tenon::arch
