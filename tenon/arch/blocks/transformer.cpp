#include "tenon/arch/blocks/transformer.h"

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

void add_inputs(Transformer& model) {
  GraphBuilder& graph = model.graph;
  const Axis tokens(graph.symbol("T", {.min = 1}), AxisRole::kToken);
  const Axis rows(graph.symbol("R", {.min = 0}), AxisRole::kToken);
  const Axis cached(graph.symbol("KV", {.min = 1}), AxisRole::kPosition);
  using decoder::InputRole;
  model.tokens = graph.input("inp_tokens", {ElementType::kI32, {1, 1, 1, tokens}}, InputRole::kTokens);
  model.positions = graph.input("inp_pos", {ElementType::kI32, {1, 1, 1, tokens}}, InputRole::kPositions);
  model.output_rows =
      graph.input("inp_out_ids", {ElementType::kI32, {1, 1, 1, rows}}, InputRole::kOutputRows);
  model.mask = graph.mask("self_kq_mask", {ElementType::kF32, {1, 1, tokens, cached}},
                          {decoder::MaskStructure::kCausal, 0, model.positions});
  model.cache_index =
      graph.input("inp_kv_idx", {ElementType::kI64, {1, 1, 1, tokens}}, InputRole::kCacheIndex);
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

Result<Transformer> begin_transformer(std::shared_ptr<const gguf::File> file, const BuildOptions& options) {
  if (options.cache_element != ElementType::kF16 && options.cache_element != ElementType::kF32) {
    throw std::invalid_argument("[begin_transformer] a cache is f16 or f32");
  }
  TENON_ASSIGN(Hyperparameters hyperparameters, read_hyperparameters(*file));
  GraphBuilder graph(model_name(*file, hyperparameters));
  Transformer model{
      file, options, std::move(hyperparameters), std::move(graph), Weights(file), {}, {}, {}, {}, {}, {}};
  add_inputs(model);
  return model;
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
  TENON_ASSIGN(const Edge logits, add_optional_bias(model, model.graph.mul_mat(head, x, "result_output"),
                                                    "output.bias", "result_output_b"));
  TENON_RETURN_IF_ERROR(model.weights.check_all_used());
  model.graph.output("logits", logits);
  for (const decoder::Output& cache : model.caches) model.graph.output(cache.name, cache.value);
  return std::move(model.graph).finish();
}

}  // namespace tenon::arch
