#include "tenon/arch/blocks/transformer.h"

#include <algorithm>
#include <stdexcept>

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

constexpr const char* kTokenTable = "token_embd.weight";
constexpr const char* kOutputMatrix = "output.weight";

std::string model_name(const gguf::File& file, const Hyperparameters& hyperparameters) {
  const Result<std::string_view> name = file.metadata().string("general.name", "");
  return name.ok() && !name->empty() ? std::string(*name) : hyperparameters.architecture;
}

// Positions whose components lie one after the other: the first of them, [1, 1, 1, T].
Edge first_component(GraphBuilder& graph, Edge positions, const Axis& tokens, int64_t components) {
  if (components == 1) return positions;
  const Edge rows = graph.reshape(positions, {1, 1, components, tokens}, "inp_pos_components");
  return graph.view(rows, 2, 0, 1, "inp_pos_first");
}

void add_attention_inputs(Transformer& model, const Axis& tokens) {
  GraphBuilder& graph = model.graph;
  const Axis cached(graph.symbol("KV", {.min = 1}), AxisRole::kPosition);
  const TensorType type{ElementType::kF32, {1, 1, tokens, cached}};
  const TensorType index{ElementType::kI64, {1, 1, 1, tokens}};
  const Edge positions =
      first_component(graph, model.positions, tokens, model.hyperparameters.position_components);
  model.mask = graph.mask("self_kq_mask", type, {decoder::MaskStructure::kCausal, 0, positions});
  const auto& layers = model.hyperparameters.attention;
  const auto windowed = std::ranges::find_if(layers, [](const LayerAttention& a) { return a.window > 0; });
  const bool evicts = windowed != layers.end() && model.options.evicting_windows;
  if (windowed != layers.end()) {
    TensorType window_type = type;
    if (evicts) window_type.axes[3] = {graph.symbol("KV_swa", {.min = 1}), AxisRole::kPosition};
    model.window_mask = graph.mask("self_kq_mask_swa", window_type,
                                   {decoder::MaskStructure::kWindow, windowed->window, positions});
  }
  model.cache_index = graph.input("inp_kv_idx", index, decoder::InputRole::kCacheIndex);
  model.window_cache_index =
      evicts ? graph.input("inp_kv_idx_swa", index, decoder::InputRole::kCacheIndex) : model.cache_index;
}

void add_inputs(Transformer& model) {
  GraphBuilder& graph = model.graph;
  const Axis tokens(graph.symbol("T", {.min = 1}), AxisRole::kToken);
  const Axis rows(graph.symbol("R", {.min = 0}), AxisRole::kToken);
  const bool attends = !model.hyperparameters.attention.empty();
  using decoder::InputRole;
  model.tokens = graph.input("inp_tokens", {ElementType::kI32, {1, 1, 1, tokens}}, InputRole::kTokens);
  if (attends) {
    const Axis positions(tokens.extent * Dim(model.hyperparameters.position_components), tokens.role);
    model.positions =
        graph.input("inp_pos", {ElementType::kI32, {1, 1, 1, positions}}, InputRole::kPositions);
  }
  model.output_rows =
      graph.input("inp_out_ids", {ElementType::kI32, {1, 1, 1, rows}}, InputRole::kOutputRows);
  if (attends) add_attention_inputs(model, tokens);
  // A part of the interface that hosts bind; nothing reads it.
  graph.input("token_len_per_seq", {ElementType::kI64, {1}}, InputRole::kOther, "T");
}

Edge soft_capped(GraphBuilder& graph, Edge x, double cap) {
  x = graph.tanh(graph.scale(x, 1 / cap, "result_output_scaled"), "result_output_tanh");
  return graph.scale(x, cap, "result_output_capped");
}

// Rows of a table that has one for each token, or more.
Result<int64_t> vocabulary_rows(const Transformer& model, const std::string& tensor) {
  TENON_ASSIGN(const int64_t rows, model.weights.rows(tensor));
  const int64_t tokens = model.hyperparameters.vocabulary;
  if (rows >= 1 && rows >= tokens) return rows;
  return Error{ErrorCode::kInvalidFile, "tensor '" + tensor + "'",
               "a row for each of the " + std::to_string(tokens) + " tokens", std::to_string(rows) + " rows",
               ""};
}

}  // namespace

Transformer begin_transformer(std::shared_ptr<const gguf::File> file, const BuildOptions& options,
                              Hyperparameters hyperparameters) {
  if (options.cache_element != ElementType::kF16 && options.cache_element != ElementType::kF32) {
    throw std::invalid_argument("[begin_transformer] a cache is f16 or f32");
  }
  GraphBuilder graph(model_name(*file, hyperparameters));
  Transformer model{
      file, options, std::move(hyperparameters), std::move(graph), Weights(file), {}, {}, {}, {}, {}, {}, {},
      0,    {}};
  add_inputs(model);
  return model;
}

Result<Transformer> begin_transformer(std::shared_ptr<const gguf::File> file, const BuildOptions& options) {
  TENON_ASSIGN(Hyperparameters hyperparameters, read_hyperparameters(*file));
  return begin_transformer(std::move(file), options, std::move(hyperparameters));
}

std::string layer_node(std::string_view name, int64_t layer) {
  return std::string(name) + "-" + std::to_string(layer);
}

std::string layer_tensor(std::string_view name, int64_t layer) {
  return "blk." + std::to_string(layer) + "." + std::string(name);
}

Result<Edge> token_embedding(Transformer& model) {
  TENON_ASSIGN(const int64_t rows, vocabulary_rows(model, kTokenTable));
  TENON_ASSIGN(const Edge table,
               model.weights.matrix(model.graph, kTokenTable, rows, model.hyperparameters.embedding));
  return model.graph.get_rows(table, model.tokens, "embd");
}

Result<std::unique_ptr<decoder::Decoder>> finish_transformer(Transformer&& model, Edge x) {
  TENON_ASSIGN(x, norm(model, x, "output_norm.weight", "result_norm"));
  const std::string matrix = model.weights.contains(kOutputMatrix) ? kOutputMatrix : kTokenTable;
  TENON_ASSIGN(const int64_t rows, vocabulary_rows(model, matrix));
  TENON_ASSIGN(const Edge head,
               model.weights.matrix(model.graph, matrix, rows, model.hyperparameters.embedding));
  TENON_ASSIGN(Edge logits, add_optional_bias(model, model.graph.mul_mat(head, x, "result_output"),
                                              "output.bias", "result_output_b"));
  if (model.logit_softcap != 0) logits = soft_capped(model.graph, logits, model.logit_softcap);
  TENON_RETURN_IF_ERROR(model.weights.check_all_used());
  model.graph.output("logits", logits);
  for (const decoder::Output& cache : model.caches) model.graph.output(cache.name, cache.value);
  return std::move(model.graph).finish();
}

}  // namespace tenon::arch
