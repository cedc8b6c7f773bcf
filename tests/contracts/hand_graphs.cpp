#include "tests/contracts/hand_graphs.h"

namespace tenon::contracts {

using decoder::Cache;
using decoder::CacheKind;
using decoder::Edge;
using decoder::InputRole;
using decoder::PermuteAttributes;
using decoder::PermuteCase;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using test::HandDecoder;

namespace {

constexpr const char* kCacheType = "f16[1,KV:position,2:head,8:head_size]";
constexpr double kScale = 0.25;

struct Inputs {
  Edge q, k, v, index, mask;
};

Inputs add_inputs(HandDecoder& graph, const std::string& tokens) {
  Inputs out;
  out.q = graph.input("q", "f32[1," + tokens + ":token,4:head,8:head_size]");
  out.k = graph.input("k", "f32[1," + tokens + ":token,2:head,8:head_size]");
  out.v = graph.input("v", "f32[1," + tokens + ":token,2:head,8:head_size]");
  out.index = graph.input("inp_kv_idx", "i64[1,1,1," + tokens + ":token]", InputRole::kCacheIndex);
  const Edge positions = graph.input("inp_pos", "i32[1,1,1," + tokens + ":token]", InputRole::kPositions);
  out.mask = graph.mask("self_kq_mask", "f32[1,1," + tokens + ":token,KV:position]",
                        {decoder::MaskStructure::kCausal, 0, positions});
  return out;
}

Edge permute(HandDecoder& graph, Edge x, std::vector<int64_t> order, std::string_view type) {
  return graph.node("PERMUTE", {x}, type, PermuteAttributes{PermuteCase::kPlain, std::move(order), 0, 0});
}

// Writes V and returns what attention reads as its values, with the obstacle in the way.
Edge write_values(HandDecoder& graph, const Inputs& in, Obstacle obstacle) {
  Cache kind;
  if (obstacle == Obstacle::kWindow) kind = {CacheKind::kWindow, 8, 0};
  if (obstacle == Obstacle::kOverwrite) kind.kind = CacheKind::kOverwrite;
  if (obstacle == Obstacle::kStreams) {
    const char* const type = "f16[2:batch,KV:position,2:head,8:head_size]";
    const Edge rows = graph.input("rows", "f32[2:batch,T:token,2:head,8:head_size]");
    const Edge cache = graph.cache("cache_v_l0", type, kind);
    graph.output("cache_v_l0", graph.node("SET_ROWS", {rows, in.index, cache}, type));
    return graph.input("values", kCacheType);
  }
  if (obstacle == Obstacle::kTransposed) {
    const char* const type = "f16[1,2:head,8:head_size,KV:position]";
    const Edge rows = permute(graph, in.v, {0, 2, 3, 1}, "f32[1,2:head,8:head_size,T:token]");
    const Edge written =
        graph.node("SET_ROWS", {rows, in.index, graph.cache("cache_v_l0", type, kind)}, type);
    graph.output("cache_v_l0", written);
    return permute(graph, written, {0, 3, 1, 2}, kCacheType);
  }
  const Edge cache = graph.cache("cache_v_l0", kCacheType, kind);
  Edge written = graph.node("SET_ROWS", {in.v, in.index, cache}, kCacheType);
  if (obstacle == Obstacle::kAnotherWrite)
    written = graph.node("SET_ROWS", {in.k, in.index, written}, kCacheType);
  if (obstacle != Obstacle::kNotReturned) graph.output("cache_v_l0", written);
  if (obstacle == Obstacle::kReadBefore)
    graph.output("before", graph.node("ADD", {cache, cache}, kCacheType));
  if (obstacle == Obstacle::kReadByAnother)
    graph.output("doubled", graph.node("ADD", {written, written}, kCacheType));
  return obstacle == Obstacle::kNotRead ? graph.input("values", kCacheType) : written;
}

}  // namespace

HandDecoder one_cache() {
  HandDecoder graph;
  const Edge data = graph.input("data", "f32[1,T:token,2:head,4:head_size]");
  const Edge index = graph.input("index", "i64[1,1,1,T:token]", InputRole::kCacheIndex);
  const Edge cache = graph.cache("cache", "f16[1,KV:position,2:head,4:head_size]");
  const Edge written = graph.node("SET_ROWS", {data, index, cache}, "f16[1,KV:position,2:head,4:head_size]");
  graph.output("cache_out", written);
  return graph;
}

HandDecoder attention_layer(Obstacle obstacle) {
  HandDecoder graph;
  const std::string tokens = obstacle == Obstacle::kStaticTokens ? "3" : "T";
  const Inputs in = add_inputs(graph, tokens);
  const Edge cache = graph.cache("cache_k_l0", kCacheType);
  const Edge keys = graph.node("SET_ROWS", {in.k, in.index, cache}, kCacheType);
  const Edge values = write_values(graph, in, obstacle);
  const Edge attention = graph.node(
      "FLASH_ATTN_EXT", {in.q, keys, values, in.mask}, "f32[1," + tokens + ":token,4:head,8:head_size]",
      decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis2, kScale, 0, 0});
  graph.output("attention", attention);
  graph.output("cache_k_l0", keys);
  return graph;
}

HandDecoder live_attention_layer() {
  HandDecoder graph;
  const Inputs in = add_inputs(graph, "T");
  const char* const flat = "f16[1,1,KV:position,16:channel]";
  const auto write = [&](const std::string& name, Edge rows) {
    const Edge merged = graph.node("RESHAPE", {rows}, "f32[1,1,T:token,16:channel]",
                                   ReshapeAttributes{ReshapeCase::kMergeHeads, 2, 8});
    const Edge written = graph.node("SET_ROWS", {merged, in.index, graph.cache(name, flat)}, flat);
    graph.output(name, written);
    const Edge heads = graph.node("VIEW", {written}, kCacheType,
                                  decoder::ViewAttributes{-1, 0, 0, {ReshapeCase::kSplitHeads, 2, 8}});
    return permute(graph, heads, {0, 2, 1, 3}, "f16[1,2:head,KV:position,8:head_size]");
  };
  const Edge keys = write("cache_k_l0", in.k);
  const Edge values = write("cache_v_l0", in.v);
  const Edge queries = permute(graph, in.q, {0, 2, 1, 3}, "f32[1,4:head,T:token,8:head_size]");
  const Edge attention =
      graph.node("FLASH_ATTN_EXT", {queries, keys, values, in.mask}, "f32[1,T:token,4:head,8:head_size]",
                 decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis1, kScale, 0, 0});
  graph.output("attention", attention);
  return graph;
}

}  // namespace tenon::contracts
