#include "tests/contracts/tiny_transformer.h"

#include "tenon/op/host_tensor.h"

namespace tenon::contracts {

using decoder::Edge;
using decoder::InputRole;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using test::HandDecoder;

namespace {

constexpr int64_t kWidth = TinyTransformer::kWidth, kVocabulary = TinyTransformer::kVocabulary;

// Weights of mixed signs, exact in f16.
double weight(int64_t row, int64_t column, int64_t seed) {
  return static_cast<double>((row * 7 + column * 5 + row * column + seed) % 13 - 6) / 16;
}

template <class F>
std::vector<double> matrix(int64_t rows, int64_t columns, F element) {
  std::vector<double> out;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) out.push_back(element(r, c));
  }
  return out;
}

Edge add_matrix(HandDecoder& graph, const std::string& name, ElementType element, int64_t rows,
                const std::vector<double>& values) {
  const int64_t columns = static_cast<int64_t>(values.size()) / rows;
  const std::string type = std::string(tenon::name(element)) + "[" + std::to_string(rows) + "," +
                           std::to_string(columns) + ":channel]";
  return graph.weight(name, type, op::HostTensor::of(element, {rows, columns}, values).bytes);
}

Edge project(HandDecoder& graph, const std::string& name, Edge x, int64_t rows, int64_t columns, int64_t seed,
             const std::string& tokens = "T") {
  const Edge w = add_matrix(graph, name, ElementType::kF32, rows,
                            matrix(rows, columns, [&](int64_t r, int64_t c) { return weight(r, c, seed); }));
  return graph.node("MUL_MAT", {w, x}, "f32[1,1," + tokens + ":token," + std::to_string(rows) + ":channel]");
}

Edge split(HandDecoder& graph, Edge x, int64_t heads) {
  return graph.node("RESHAPE", {x}, "f32[1,T:token," + std::to_string(heads) + ":head,8:head_size]",
                    ReshapeAttributes{ReshapeCase::kSplitHeads, heads, TinyTransformer::kHeadSize});
}

}  // namespace

double main_table(int64_t row, int64_t column) {
  return static_cast<double>((row * 11 + column * 3) % 17 - 8) / 8;
}

double second_table(int64_t row, int64_t column) { return static_cast<double>((row * 5 + column) % 7) / 4; }

HandDecoder TinyTransformer::decoder() const {
  HandDecoder graph;
  const Edge tokens = graph.input("inp_tokens", "i32[1,1,1,T:token]", InputRole::kTokens);
  const Edge positions = graph.input("inp_pos", "i32[1,1,1,T:token]", InputRole::kPositions);
  const Edge rows = graph.input("inp_out_ids", "i32[1,1,1,R:token]", InputRole::kOutputRows);
  const Edge index = graph.input("inp_kv_idx", "i64[1,1,1,T:token]", InputRole::kCacheIndex);
  const Edge mask_leaf =
      graph.mask("self_kq_mask", "f32[1,1,T:token,KV:position]", {mask, window, positions});

  const char* const activation = "f32[1,1,T:token,16:channel]";
  const Edge table = add_matrix(graph, "token_embd.weight", ElementType::kF32, kVocabulary,
                                matrix(kVocabulary, kWidth, main_table));
  Edge x = graph.node("GET_ROWS", {table, tokens}, activation);
  if (second_table) {
    const Edge second = add_matrix(graph, "pe_tok_flat", second_type, kVocabulary,
                                   matrix(kVocabulary, kWidth, contracts::second_table));
    x = graph.node("ADD", {x, graph.node("GET_ROWS", {second, tokens}, activation)}, activation);
  }
  if (show_embedding) graph.output("embedding", x);

  const Edge q = split(graph, project(graph, "q", x, kHeads * kHeadSize, kWidth, 1), kHeads);
  const Edge k = split(graph, project(graph, "k", x, kKvHeads * kHeadSize, kWidth, 2), kKvHeads);
  const Edge v = split(graph, project(graph, "v", x, kKvHeads * kHeadSize, kWidth, 3), kKvHeads);
  const char* const cache = "f32[1,KV:position,2:head,8:head_size]";
  const Edge keys = graph.node("SET_ROWS", {k, index, graph.cache("cache_k_l0", cache, {.layer = 0})}, cache);
  const Edge values =
      graph.node("SET_ROWS", {v, index, graph.cache("cache_v_l0", cache, {.layer = 0})}, cache);
  const Edge heads =
      graph.node("FLASH_ATTN_EXT", {q, keys, values, mask_leaf}, "f32[1,T:token,4:head,8:head_size]",
                 decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis2, 0.25, 0, 0});
  const Edge merged = graph.node("RESHAPE", {heads}, "f32[1,1,T:token,32:channel]",
                                 ReshapeAttributes{ReshapeCase::kMergeHeads, kHeads, kHeadSize});
  const Edge attended = project(graph, "attn_output", merged, kWidth, kHeads * kHeadSize, 4);

  const char* const chosen = "f32[1,1,R:token,16:channel]";
  const Edge attended_rows = graph.node("GET_ROWS", {attended, rows}, chosen);
  const Edge residual_rows = graph.node("GET_ROWS", {x, rows}, chosen);
  const Edge sum = graph.node("ADD", {attended_rows, residual_rows}, chosen);
  graph.output("logits", project(graph, "output", sum, kVocabulary, kWidth, 5, "R"));
  graph.output("cache_k_l0", keys).output("cache_v_l0", values);
  return graph;
}

}  // namespace tenon::contracts
