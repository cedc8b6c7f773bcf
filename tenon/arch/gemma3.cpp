#include <cmath>

#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/attention.h"
#include "tenon/arch/blocks/feed_forward.h"
#include "tenon/arch/blocks/linear.h"
#include "tenon/arch/blocks/windows.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

constexpr int64_t kWindowPeriod = 6;
constexpr double kWindowRopeBase = 10000;
constexpr int64_t kLayersOf27B = 62;

// 1 / sqrt(head size), but for the 27B model, which is known by its layers alone.
double attention_scale(const Hyperparameters& h) {
  const int64_t size = h.layers == kLayersOf27B ? h.embedding / h.heads : h.head_size;
  return 1.0f / std::sqrt(static_cast<float>(size));
}

Result<Transformer> begin(std::shared_ptr<const gguf::File> file, const BuildOptions& options) {
  TENON_ASSIGN(Hyperparameters h, read_hyperparameters(*file));
  const ArchitectureKeys keys(file->metadata(), h.architecture);
  TENON_RETURN_IF_ERROR(read_windows(keys, kWindowPeriod, kWindowRopeBase, h));
  TENON_ASSIGN(const double softcap, keys.number("final_logit_softcapping", 0, 0));
  Transformer model = begin_transformer(std::move(file), options, std::move(h));
  model.logit_softcap = softcap;
  return model;
}

}  // namespace

// Gemma 3: embeddings times sqrt(width), norms before and after attention and feed-forward, a norm over each
// head of Q and K, five layers with a window for each without.
Result<std::unique_ptr<decoder::Decoder>> build_gemma3(std::shared_ptr<const gguf::File> file,
                                                       const BuildOptions& options) {
  TENON_ASSIGN(Transformer model, begin(std::move(file), options));
  const Hyperparameters& h = model.hyperparameters;
  GraphBuilder& graph = model.graph;
  const auto normed = [&](Edge x, const std::string& name, int64_t layer) {
    return norm(model, x, layer_tensor(name + ".weight", layer), layer_node(name, layer));
  };
  const AttentionFamily attention{decoder::RopeMode::kNeox, /*head_norms=*/true, attention_scale(h)};

  TENON_ASSIGN(Edge x, token_embedding(model));
  x = graph.scale(x, std::sqrt(static_cast<float>(h.embedding)), "inp_scaled");
  for (int64_t layer = 0; layer < h.layers; ++layer) {
    TENON_ASSIGN(Edge y, normed(x, "attn_norm", layer));
    TENON_ASSIGN(y, self_attention(model, y, layer, attention));
    if (layer == h.layers - 1) {
      y = graph.get_rows(y, model.output_rows, layer_node("attn_out_rows", layer));
      x = graph.get_rows(x, model.output_rows, layer_node("residual_rows", layer));
    }
    TENON_ASSIGN(y, normed(y, "post_attention_norm", layer));
    x = graph.add(y, x, layer_node("sa_out", layer));
    TENON_ASSIGN(y, normed(x, "ffn_norm", layer));
    TENON_ASSIGN(y, geglu_feed_forward(model, y, layer, h.feed_forward, ScalePlace::kNowhere));
    TENON_ASSIGN(y, normed(y, "post_ffw_norm", layer));
    x = graph.add(y, x, layer_node("l_out", layer));
  }
  return finish_transformer(std::move(model), x);
}

}  // namespace tenon::arch
