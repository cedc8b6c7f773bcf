#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/attention.h"
#include "tenon/arch/blocks/delta_net_mixer.h"
#include "tenon/arch/blocks/feed_forward.h"
#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

constexpr int64_t kAttentionInterval = 4;
constexpr size_t kSections = 4;

struct Qwen35 {
  Hyperparameters hyperparameters;
  SsmHyperparameters ssm;
  std::vector<bool> recurrent;  // of each layer
};

Status read_sections(const gguf::File& file, const ArchitectureKeys& keys, Hyperparameters& h) {
  constexpr std::string_view kKey = "rope.dimension_sections";
  TENON_ASSIGN(const std::vector<int64_t> sections, file.metadata().integers(keys.key(kKey)));
  int64_t sum = 0;
  for (const int64_t section : sections) {
    if (section < 0 || section > h.rope.n_rot)
      return keys.invalid(kKey, "counts of pairs", std::to_string(section));
    sum += section;
  }
  if (sections.size() != kSections || sum < 1)
    return keys.invalid(kKey, "four counts, not all of them 0", std::to_string(sections.size()) + " counts");
  for (LayerAttention& layer : h.attention)
    std::copy(sections.begin(), sections.end(), layer.rope.sections.begin());
  h.position_components = kSections;
  return {};
}

// Flags, or every so many layers one of attention.
Result<std::vector<bool>> read_recurrent_layers(const ArchitectureKeys& keys, int64_t layers) {
  if (keys.contains("attention.recurrent_layers"))
    return keys.layer_flags("attention.recurrent_layers", layers);
  TENON_ASSIGN(const int64_t interval, keys.count("full_attention_interval", kAttentionInterval));
  std::vector<bool> out;
  for (int64_t layer = 0; layer < layers; ++layer) out.push_back((layer + 1) % interval != 0);
  return out;
}

// The last layers of a file may be there to draft tokens (nextn_predict_layers): they are not run.
Result<Qwen35> read(const gguf::File& file) {
  TENON_ASSIGN(Hyperparameters h, read_hyperparameters(file));
  const ArchitectureKeys keys(file.metadata(), h.architecture);
  TENON_RETURN_IF_ERROR(read_sections(file, keys, h));
  TENON_ASSIGN(const SsmHyperparameters ssm, read_ssm_hyperparameters(keys));
  TENON_ASSIGN(std::vector<bool> recurrent, read_recurrent_layers(keys, h.layers));
  TENON_ASSIGN(const int64_t drafting, keys.count_or_zero("nextn_predict_layers"));
  if (drafting >= h.layers) {
    return keys.invalid("nextn_predict_layers", "fewer than the " + std::to_string(h.layers) + " layers",
                        std::to_string(drafting));
  }
  h.layers -= drafting;
  return Qwen35{std::move(h), ssm, std::move(recurrent)};
}

void leave_out_drafting_layers(Transformer& model) {
  for (const gguf::TensorInfo& tensor : model.file->tensors()) {
    for (size_t layer = static_cast<size_t>(model.hyperparameters.layers);
         layer < model.hyperparameters.attention.size(); ++layer) {
      if (tensor.name.starts_with(layer_tensor("", static_cast<int64_t>(layer))))
        model.weights.leave_out(std::string(tensor.name));
    }
  }
}

}  // namespace

// Qwen3.5: gated delta-nets, and every few layers attention with an output gate, a norm over each head of Q
// and K, and interleaved M-RoPE over a part of the head.
Result<std::unique_ptr<decoder::Decoder>> build_qwen35(std::shared_ptr<const gguf::File> file,
                                                       const BuildOptions& options) {
  TENON_ASSIGN(Qwen35 family, read(*file));
  Transformer model = begin_transformer(std::move(file), options, std::move(family.hyperparameters));
  leave_out_drafting_layers(model);
  GraphBuilder& graph = model.graph;
  const int64_t layers = model.hyperparameters.layers;
  const AttentionFamily attention{
      .rope_mode = decoder::RopeMode::kImrope, .head_norms = true, .output_gate = true};
  TENON_ASSIGN(Edge x, token_embedding(model));
  for (int64_t layer = 0; layer < layers; ++layer) {
    TENON_ASSIGN(Edge y,
                 norm(model, x, layer_tensor("attn_norm.weight", layer), layer_node("attn_norm", layer)));
    if (family.recurrent[static_cast<size_t>(layer)]) {
      TENON_ASSIGN(y, delta_net_mixer(model, y, layer, family.ssm));
    } else {
      TENON_ASSIGN(y, self_attention(model, y, layer, attention));
    }
    if (layer == layers - 1) {
      y = graph.get_rows(y, model.output_rows, layer_node("attn_out_rows", layer));
      x = graph.get_rows(x, model.output_rows, layer_node("residual_rows", layer));
    }
    x = graph.add(y, x, layer_node("attn_residual", layer));
    TENON_ASSIGN(y, norm(model, x, layer_tensor("post_attention_norm.weight", layer),
                         layer_node("attn_post_norm", layer)));
    TENON_ASSIGN(y, swiglu_feed_forward(model, y, layer, ScalePlace::kBeforeBias));
    x = graph.add(y, x, layer_node("l_out", layer));
  }
  return finish_transformer(std::move(model), x);
}

}  // namespace tenon::arch
