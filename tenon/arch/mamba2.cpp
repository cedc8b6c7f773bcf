#include "tenon/arch/architecture.h"
#include "tenon/arch/blocks/linear.h"
#include "tenon/arch/blocks/mamba2_mixer.h"

namespace tenon::arch {

using decoder::Edge;

// Mamba-2: a scan in the place of attention, no feed-forward, no positions.
Result<std::unique_ptr<decoder::Decoder>> build_mamba2(std::shared_ptr<const gguf::File> file,
                                                       const BuildOptions& options) {
  TENON_ASSIGN(Hyperparameters hyperparameters, read_common_hyperparameters(*file));
  const ArchitectureKeys keys(file->metadata(), hyperparameters.architecture);
  TENON_ASSIGN(const SsmHyperparameters ssm, read_ssm_hyperparameters(keys));
  if (ssm.inner % ssm.groups != 0) {
    return keys.invalid("ssm.inner_size", "a multiple of the " + std::to_string(ssm.groups) + " groups",
                        std::to_string(ssm.inner));
  }
  Transformer model = begin_transformer(std::move(file), options, std::move(hyperparameters));
  GraphBuilder& graph = model.graph;
  const int64_t layers = model.hyperparameters.layers;
  TENON_ASSIGN(Edge x, token_embedding(model));
  for (int64_t layer = 0; layer < layers; ++layer) {
    TENON_ASSIGN(Edge y,
                 norm(model, x, layer_tensor("attn_norm.weight", layer), layer_node("attn_norm", layer)));
    TENON_ASSIGN(y, mamba2_mixer(model, y, layer, ssm));
    if (layer == layers - 1) {
      y = graph.get_rows(y, model.output_rows, layer_node("mamba_out_rows", layer));
      x = graph.get_rows(x, model.output_rows, layer_node("residual_rows", layer));
    }
    x = graph.add(y, x, layer_node("l_out", layer));
  }
  return finish_transformer(std::move(model), x);
}

}  // namespace tenon::arch
