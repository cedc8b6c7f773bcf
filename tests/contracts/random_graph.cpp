#include "tests/contracts/random_graph.h"

#include <algorithm>
#include <random>

#include "tests/contracts/forms.h"

namespace tenon::contracts {

using decoder::Edge;
using decoder::InputRole;
using decoder::ReshapeAttributes;
using decoder::ReshapeCase;
using op::HostTensor;
using test::HandDecoder;

namespace {

constexpr int64_t kVocabulary = 7, kKvHeads = 2;

// What a graph is made of, drawn once.
struct Draw {
  int64_t width = 0, heads = 0, head_size = 0;
  std::vector<int> ops;  // of the chain
  std::vector<int64_t> numbers;
};

enum Kind { kAttend, kSelect, kSwapHalves, kSilu, kScale, kAdd, kKinds };

std::vector<float> random_floats(int64_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(static_cast<float>(engine() % 65) / 32 - 1);
  return out;
}

class Teller {
 public:
  Teller(HandDecoder& graph, const Draw& draw, std::string t, std::string kv)
      : graph_(graph), draw_(draw), t_(std::move(t)), kv_(std::move(kv)) {}

  int tell() {
    const Edge tokens = graph_.input("inp_tokens", "i32[1,1,1," + t_ + ":token]", InputRole::kTokens);
    positions_ = graph_.input("inp_pos", "i32[1,1,1," + t_ + ":token]", InputRole::kPositions);
    const std::string rows = t_ == "T" ? "R" : "1";
    const Edge chosen = graph_.input("inp_out_ids", "i32[1,1,1," + rows + ":token]", InputRole::kOutputRows);
    index_ = graph_.input("inp_kv_idx", "i64[1,1,1," + t_ + ":token]", InputRole::kCacheIndex);
    mask_ = graph_.mask("self_kq_mask", "f32[1,1," + t_ + ":token," + kv_ + ":position]",
                        {decoder::MaskStructure::kCausal, 0, positions_});
    Edge x = graph_.node("GET_ROWS", {weight({kVocabulary, draw_.width}), tokens}, row());
    Edge before = x;
    for (size_t i = 0; i < draw_.ops.size(); ++i)
      before = std::exchange(x, next(draw_.ops[i], draw_.numbers[i], x, before));
    graph_.node("SCALE", {graph_.node("SILU", {x}, row())}, row(), decoder::ScaleAttributes{3, 0});  // unread
    const std::string width = "," + std::to_string(draw_.width) + ":channel]";
    const Edge last = graph_.node("GET_ROWS", {x, chosen}, "f32[1,1," + rows + ":token" + width);
    graph_.output("logits", graph_.node("MUL_MAT", {weight({kVocabulary, draw_.width}), last},
                                        "f32[1,1," + rows + ":token,7:channel]"));
    for (const auto& [name, value] : caches_) graph_.output(name, value);
    return attentions_;
  }

 private:
  std::string row(int64_t width = 0) const {
    return "f32[1,1," + t_ + ":token," + std::to_string(width ? width : draw_.width) + ":channel]";
  }
  std::string heads(int64_t count) const {
    return "f32[1," + t_ + ":token," + std::to_string(count) + ":head," + std::to_string(draw_.head_size) +
           ":head_size]";
  }
  Edge weight(const std::vector<int64_t>& extents) {
    std::string type = "f32[";
    int64_t count = 1;
    for (const int64_t extent : extents) {
      type += (count > 1 ? "," : "") + std::to_string(extent);
      count *= extent;
    }
    const auto seed = static_cast<uint32_t>(++weights_);
    return graph_.weight("w" + std::to_string(seed), type + "]", random_floats(count, seed));
  }
  Edge project(Edge x, int64_t rows, int64_t columns) {
    return graph_.node("MUL_MAT", {weight({rows, columns}), x}, row(rows));
  }
  Edge split(Edge x, int64_t count) {
    return graph_.node("RESHAPE", {project(x, count * draw_.head_size, draw_.width)}, heads(count),
                       ReshapeAttributes{ReshapeCase::kSplitHeads, count, draw_.head_size});
  }

  Edge next(int kind, int64_t number, Edge x, Edge before) {
    switch (kind) {
      case kAttend:
        return attend(x);
      case kSelect:
        return select(x, number);
      case kSwapHalves:
        return swap_halves(x, number);
      case kSilu:
        return graph_.node("SILU", {x}, row());
      case kScale:
        return graph_.node("SCALE", {x}, row(),
                           decoder::ScaleAttributes{0.5, 0.25 * static_cast<double>(number)});
      default:
        return graph_.node("ADD", {x, before}, row());
    }
  }

  Edge attend(Edge x) {
    const std::string layer = std::to_string(attentions_++);
    const std::string type =
        "f32[1," + kv_ + ":position,2:head," + std::to_string(draw_.head_size) + ":head_size]";
    const auto write = [&](const std::string& name) {
      const Edge cache = graph_.cache(name, type);
      const Edge written = graph_.node("SET_ROWS", {split(x, kKvHeads), index_, cache}, type);
      caches_.emplace_back(name, written);
      return written;
    };
    const Edge keys = write("cache_k_l" + layer), values = write("cache_v_l" + layer);
    const Edge out =
        graph_.node("FLASH_ATTN_EXT", {split(x, draw_.heads), keys, values, mask_}, heads(draw_.heads),
                    decoder::AttentionAttributes{decoder::AttentionLayout::kHeadAxis2, 0.5, 0, 0});
    const int64_t width = draw_.heads * draw_.head_size;
    const Edge merged =
        graph_.node("RESHAPE", {out}, row(width),
                    ReshapeAttributes{ReshapeCase::kMergeHeads, draw_.heads, draw_.head_size});
    return project(merged, draw_.width, width);
  }

  // Each token's `k` largest elements name the experts that it is sent to; one of them goes on.
  Edge select(Edge x, int64_t k) {
    const std::string experts = ",1:expert," + std::to_string(draw_.width) + ":channel]";
    const std::string picked = std::to_string(k) + ":expert";
    const Edge ids =
        graph_.node("TOP_K", {x}, "i32[1,1," + t_ + ":token," + picked + "]", decoder::TopKAttributes{k});
    const Edge rows = graph_.node("RESHAPE", {x}, "f32[1," + t_ + ":token" + experts, ReshapeAttributes{});
    const Edge all =
        graph_.node("MUL_MAT_ID", {weight({draw_.width, draw_.width, draw_.width}), rows, ids},
                    "f32[1," + t_ + ":token," + picked + "," + std::to_string(draw_.width) + ":channel]");
    const Edge one = graph_.node("VIEW", {all}, "f32[1," + t_ + ":token" + experts,
                                 decoder::ViewAttributes{2, k - 1, 1, {}});
    return graph_.node("RESHAPE", {one}, row(), ReshapeAttributes{});
  }

  // Three parts of a split, of which the first and the rest trade places.
  Edge swap_halves(Edge x, int64_t first) {
    const int64_t rest = draw_.width - first;
    const Edge a = graph_.node("VIEW", {x}, row(first), decoder::ViewAttributes{3, 0, first, {}});
    const Edge b = graph_.node("VIEW", {x}, row(rest), decoder::ViewAttributes{3, first, rest, {}});
    return graph_.node("CONCAT", {b, a}, row(), decoder::ConcatAttributes{3});
  }

  HandDecoder& graph_;
  const Draw& draw_;
  std::string t_, kv_;
  Edge positions_, index_, mask_;
  std::vector<std::pair<std::string, Edge>> caches_;
  int attentions_ = 0, weights_ = 0;
};

}  // namespace

RandomGraph::RandomGraph(uint32_t seed) {
  std::mt19937 engine(seed);
  const auto draw = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % static_cast<uint32_t>(high - low + 1));
  };
  Draw drawn;
  drawn.width = 2 * draw(3, 6);
  drawn.heads = 2 * draw(1, 3);
  drawn.head_size = 4 * draw(1, 2);
  drawn.ops = {kAttend, kSelect};
  for (int64_t i = draw(1, 4); i > 0; --i) drawn.ops.push_back(static_cast<int>(draw(0, kKinds - 1)));
  std::shuffle(drawn.ops.begin(), drawn.ops.end(), engine);
  for (size_t i = 0; i < drawn.ops.size(); ++i) drawn.numbers.push_back(draw(1, 4));
  tokens = draw(2, 5);
  past = draw(1, 4);

  const int64_t cells = past + tokens;
  attentions = Teller(with_symbols, drawn, "T", "KV").tell();
  Teller(with_numbers, drawn, std::to_string(tokens), std::to_string(cells)).tell();

  std::vector<double> ids;
  for (int64_t t = 0; t < tokens; ++t) ids.push_back(static_cast<double>(draw(0, kVocabulary - 1)));
  const std::vector<double> places = contracts::numbers(tokens, static_cast<double>(past));
  inputs["inp_tokens"] = HostTensor::of(ElementType::kI32, {1, 1, 1, tokens}, ids);
  inputs["inp_pos"] = HostTensor::of(ElementType::kI32, {1, 1, 1, tokens}, places);
  inputs["inp_out_ids"] = HostTensor::of(ElementType::kI32, {1, 1, 1, 1}, {static_cast<double>(tokens - 1)});
  inputs["inp_kv_idx"] = HostTensor::of(ElementType::kI64, {1, 1, 1, tokens}, places);
  inputs["self_kq_mask"] = HostTensor::make(ElementType::kF32, {1, 1, tokens, cells});
  for (int layer = 0; layer < attentions; ++layer) {
    for (const std::string name : {"cache_k_l", "cache_v_l"}) {
      const std::vector<float> held =
          random_floats(past * kKvHeads * drawn.head_size, static_cast<uint32_t>(engine()));
      std::vector<double> values(held.begin(), held.end());
      values.resize(static_cast<size_t>(cells * kKvHeads * drawn.head_size));
      inputs[name + std::to_string(layer)] =
          HostTensor::of(ElementType::kF32, {1, cells, kKvHeads, drawn.head_size}, values);
    }
  }
}

}  // namespace tenon::contracts
