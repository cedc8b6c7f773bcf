#include "tenon/arch/blocks/pre_norm_decoder.h"

#include "tenon/arch/blocks/feed_forward.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

Result<Edge> feed_forward(Transformer& model, Edge x, int64_t layer, const PreNormFamily& family) {
  const ScalePlace scale = family.feed_forward_scale;
  if (family.experts) return expert_feed_forward(model, x, layer, *family.experts, scale);
  if (family.fused_gate_up) return fused_swiglu_feed_forward(model, x, layer, scale);
  return swiglu_feed_forward(model, x, layer, scale);
}

}  // namespace

Result<std::unique_ptr<decoder::Decoder>> build_pre_norm_decoder(std::shared_ptr<const gguf::File> file,
                                                                 const BuildOptions& options,
                                                                 const PreNormFamily& family,
                                                                 Hyperparameters hyperparameters) {
  Transformer model = begin_transformer(std::move(file), options, std::move(hyperparameters));
  for (const std::string& tensor : family.unused_tensors) model.weights.leave_out(tensor);
  GraphBuilder& graph = model.graph;
  const int64_t layers = model.hyperparameters.layers;
  TENON_ASSIGN(Edge x, token_embedding(model));
  for (int64_t layer = 0; layer < layers; ++layer) {
    TENON_ASSIGN(Edge y,
                 norm(model, x, layer_tensor("attn_norm.weight", layer), layer_node("attn_norm", layer)));
    TENON_ASSIGN(y, self_attention(model, y, layer, family.attention));
    if (layer == layers - 1) {
      y = graph.get_rows(y, model.output_rows, layer_node("attn_out_rows", layer));
      x = graph.get_rows(x, model.output_rows, layer_node("residual_rows", layer));
    }
    x = graph.add(y, x, layer_node("ffn_inp", layer));
    TENON_ASSIGN(y, norm(model, x, layer_tensor(family.feed_forward_norm + ".weight", layer),
                         layer_node("ffn_norm", layer)));
    TENON_ASSIGN(y, feed_forward(model, y, layer, family));
    x = graph.add(y, x, layer_node("l_out", layer));
  }
  return finish_transformer(std::move(model), x);
}

Result<std::unique_ptr<decoder::Decoder>> build_pre_norm_decoder(std::shared_ptr<const gguf::File> file,
                                                                 const BuildOptions& options,
                                                                 const PreNormFamily& family) {
  TENON_ASSIGN(
      Hyperparameters hyperparameters,
      read_hyperparameters(*file, family.experts ? FeedForwardKind::kExperts : FeedForwardKind::kDense));
  return build_pre_norm_decoder(std::move(file), options, family, std::move(hyperparameters));
}

}  // namespace tenon::arch
