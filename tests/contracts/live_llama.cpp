#include "tests/contracts/live_llama.h"

#include <cmath>

namespace tenon::contracts {

using decoder::Edge;
using decoder::InputRole;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using test::HandDecoder;

namespace {

class LiveLlama {
 public:
  LiveLlama(const gguf::File& file, const fixtures::ModelSpec& spec, const LiveLlamaOptions& options)
      : file_(file), spec_(spec), options_(options) {}

  HandDecoder build() && {
    const Edge tokens = graph_.input("inp_tokens", "i32[1,1,1,T:token]", InputRole::kTokens);
    positions_ = graph_.input("inp_pos", "i32[1,1,1,T:token]", InputRole::kPositions);
    rows_ = graph_.input("inp_out_ids", "i32[1,1,1,R:token]", InputRole::kOutputRows);
    mask_ = graph_.mask("self_kq_mask", "f32[1,1,T:token,KV:position]",
                        {decoder::MaskStructure::kCausal, 0, positions_});
    index_ = graph_.input("inp_kv_idx", "i64[1,1,1,T:token]", InputRole::kCacheIndex);
    graph_.input("token_len_per_seq", "i64[1]", InputRole::kOther, "T");
    Edge x = graph_.node("GET_ROWS", {weight("token_embd.weight"), tokens}, activation(spec_.width));
    for (int64_t layer = 0; layer < spec_.layers; ++layer) x = block(x, layer);
    x = norm(x, "output_norm.weight");
    graph_.output("logits", project(x, "output.weight"));
    for (const auto& [name, value] : caches_) graph_.output(name, value);
    return std::move(graph_);
  }

 private:
  std::string activation(int64_t width) const {
    return "f32[1,1," + tokens_ + ":token," + std::to_string(width) + ":channel]";
  }
  std::string heads(int64_t count) const {
    return "f32[1,T:token," + std::to_string(count) + ":head," + std::to_string(spec_.head_size) +
           ":head_size]";
  }
  std::string flat_cache() const {
    return "f32[1,1,KV:position," + std::to_string(spec_.kv_heads * spec_.head_size) + ":channel]";
  }
  std::string permuted(const std::string& middle, int64_t count) const {
    return "f32[1," + std::to_string(count) + ":head," + middle + "," + std::to_string(spec_.head_size) +
           ":head_size]";
  }

  Edge weight(const std::string& name) {
    const gguf::TensorInfo& tensor = *file_.find_tensor(name);
    std::string type = std::string(tenon::name(tensor.element)) + "[";
    for (size_t i = 0; i < tensor.extents.size(); ++i)
      type += (i == 0 ? "" : ",") + std::to_string(tensor.extents[i]) + ":channel";
    return graph_.weight(name, type + "]", std::vector<std::byte>(tensor.data.begin(), tensor.data.end()));
  }
  Edge project(Edge x, const std::string& name) {
    const int64_t width = file_.find_tensor(name)->extents[0];
    return graph_.node("MUL_MAT", {weight(name), x}, activation(width));
  }
  Edge norm(Edge x, const std::string& name) {
    const auto epsilon = static_cast<double>(spec_.norm_epsilon);
    x = graph_.node("RMS_NORM", {x}, activation(spec_.width), decoder::NormAttributes{epsilon});
    return graph_.node("MUL", {x, weight(name)}, activation(spec_.width));
  }
  Edge permute(Edge x, const std::string& type) {
    return graph_.node("PERMUTE", {x}, type,
                       decoder::PermuteAttributes{decoder::PermuteCase::kPlain, {0, 2, 1, 3}, 0, 0});
  }
  Edge split(Edge x, int64_t count) {
    return graph_.node("RESHAPE", {x}, heads(count),
                       ReshapeAttributes{ReshapeCase::kSplitHeads, count, spec_.head_size});
  }
  Edge rotate(Edge x, int64_t count) {
    decoder::RopeAttributes rope;
    rope.mode = options_.rope;
    rope.n_rot = spec_.head_size;
    rope.freq_base = spec_.rope_base;
    return graph_.node("ROPE", {x, positions_}, heads(count), rope);
  }
  Edge merge(Edge x, int64_t count) {
    return graph_.node("RESHAPE", {x}, activation(count * spec_.head_size),
                       ReshapeAttributes{ReshapeCase::kMergeHeads, count, spec_.head_size});
  }

  // Rows [1,T,G,D] go to a flat cache; what attention reads of it, [1,G,KV,D].
  Edge cached(Edge rows, const std::string& name, int64_t layer) {
    const Edge cache = graph_.cache(name, flat_cache(), {decoder::CacheKind::kAppend, 0, layer});
    const Edge written = graph_.node("SET_ROWS", {merge(rows, spec_.kv_heads), index_, cache}, flat_cache());
    caches_.emplace_back(name, written);
    const Edge view = graph_.node(
        "VIEW", {written},
        "f32[1,KV:position," + std::to_string(spec_.kv_heads) + ":head," + std::to_string(spec_.head_size) +
            ":head_size]",
        decoder::ViewAttributes{-1, 0, 0, {ReshapeCase::kSplitHeads, spec_.kv_heads, spec_.head_size}});
    return permute(view, permuted("KV:position", spec_.kv_heads));
  }

  Edge attention(Edge x, int64_t layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    const Edge q = rotate(split(project(x, prefix + "attn_q.weight"), spec_.heads), spec_.heads);
    const Edge k = rotate(split(project(x, prefix + "attn_k.weight"), spec_.kv_heads), spec_.kv_heads);
    const Edge v = split(project(x, prefix + "attn_v.weight"), spec_.kv_heads);
    const Edge keys = cached(k, "cache_k_l" + std::to_string(layer), layer);
    const Edge values = cached(v, options_.value_cache + std::to_string(layer), layer);
    const double scale = 1 / std::sqrt(static_cast<double>(spec_.head_size));
    const Edge attended = graph_.node(
        "FLASH_ATTN_EXT", {permute(q, permuted("T:token", spec_.heads)), keys, values, mask_},
        heads(spec_.heads), decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis1, scale, 0, 0});
    return project(merge(attended, spec_.heads), prefix + "attn_output.weight");
  }

  Edge block(Edge x, int64_t layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    Edge y = attention(norm(x, prefix + "attn_norm.weight"), layer);
    if (layer == spec_.layers - 1) {
      tokens_ = "R";
      y = graph_.node("GET_ROWS", {y, rows_}, activation(spec_.width));
      x = graph_.node("GET_ROWS", {x, rows_}, activation(spec_.width));
    }
    x = graph_.node("ADD", {y, x}, activation(spec_.width));
    y = norm(x, prefix + "ffn_norm.weight");
    const Edge gate = project(y, prefix + "ffn_gate.weight"), up = project(y, prefix + "ffn_up.weight");
    y = graph_.node("SWIGLU", {gate, up}, activation(spec_.ffn_width), decoder::GluAttributes{});
    return graph_.node("ADD", {project(y, prefix + "ffn_down.weight"), x}, activation(spec_.width));
  }

  const gguf::File& file_;
  const fixtures::ModelSpec& spec_;
  const LiveLlamaOptions& options_;
  HandDecoder graph_;
  Edge positions_, rows_, mask_, index_;
  std::string tokens_ = "T";  // of activations: the wanted rows from the last layer's attention on
  std::vector<std::pair<std::string, Edge>> caches_;
};

}  // namespace

HandDecoder live_llama(const gguf::File& file, const fixtures::ModelSpec& spec,
                       const LiveLlamaOptions& options) {
  return LiveLlama(file, spec, options).build();
}

}  // namespace tenon::contracts
