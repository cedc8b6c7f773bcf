#include "tests/contracts/cache_graphs.h"

namespace tenon::contracts {

using decoder::Edge;
using decoder::InputRole;
using test::HandDecoder;

namespace {

constexpr const char* kCache = "f16[1,KV:position,2:head,4:head_size]";
constexpr const char* kRows = "f32[1,T:token,2:head,4:head_size]";

Edge cache_index(HandDecoder& graph, const std::string& name) {
  return graph.input(name, "i64[1,1,1,T:token]", InputRole::kCacheIndex);
}

}  // namespace

HandDecoder cache_writes(int count, const std::vector<decoder::Cache>& kinds) {
  HandDecoder graph;
  const Edge index = cache_index(graph, "index");
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const auto at = static_cast<size_t>(i);
    const Edge data = graph.input("data_" + number, kRows);
    const Edge cache =
        graph.cache("cache_" + number, kCache, at < kinds.size() ? kinds[at] : decoder::Cache{});
    graph.output("cache_" + number, graph.node("SET_ROWS", {data, index, cache}, kCache));
  }
  return graph;
}

HandDecoder one_write(std::string_view cache, std::string_view data, decoder::Cache kind) {
  HandDecoder graph;
  const Edge rows = graph.input("data", data);
  const Edge index = cache_index(graph, "index");
  const Edge whole = graph.cache("cache", cache, kind);
  graph.output("cache", graph.node("SET_ROWS", {rows, index, whole}, cache));
  return graph;
}

HandDecoder cached_lookup() {
  HandDecoder graph;
  const Edge tokens = graph.input("inp_tokens", "i32[1,1,1,T:token]", InputRole::kTokens);
  const Edge index = cache_index(graph, "inp_kv_idx");
  std::vector<float> table;
  for (int row = 0; row < 9; ++row) {
    for (int i = 0; i < 8; ++i) table.push_back(static_cast<float>(10 * row + i));
  }
  const Edge rows = graph.node("GET_ROWS", {graph.weight("table", "f32[9,8:channel]", table), tokens},
                               "f32[1,1,T:token,8:channel]");
  const Edge heads = graph.node("RESHAPE", {rows}, kRows,
                                decoder::ReshapeAttributes{decoder::ReshapeCase::kSplitHeads, 2, 4});
  graph.output("cache", graph.node("SET_ROWS", {heads, index, graph.cache("cache", kCache)}, kCache));
  return graph;
}

}  // namespace tenon::contracts
