#include "tenon/op/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tenon/op/broadcast.h"
#include "tenon/op/build.h"
#include "tenon/op/concat.h"
#include "tenon/op/element_access.h"
#include "tenon/op/elementwise.h"
#include "tenon/op/matmul.h"
#include "tenon/op/reshape.h"
#include "tenon/op/shape_rule.h"
#include "tenon/op/softmax.h"
#include "tenon/op/transpose.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/op/variadic_split.h"

namespace tenon::op {

namespace {

bool needs_positions(ir::MaskKind kind) {
  return kind == ir::MaskKind::kCausal || kind == ir::MaskKind::kWindow;
}

Status check_mask(const ir::Inference& node) {
  const auto& attributes = node.attributes<AttentionAttributes>();
  const std::string_view kind = ir::kMaskKindNames[static_cast<size_t>(attributes.mask)];
  if (attributes.mask == ir::MaskKind::kWindow && attributes.window <= 0) {
    return node.error("a window of at least 1", std::to_string(attributes.window));
  }
  if (attributes.ring != 0 && (attributes.mask != ir::MaskKind::kWindow ||
                               attributes.ring < attributes.window || attributes.ring % kRingRows != 0)) {
    return node.error(
        "a window mask and a ring of its length or more, a multiple of " + std::to_string(kRingRows),
        "mask " + std::string(kind) + " with ring " + std::to_string(attributes.ring));
  }
  if (attributes.mask == ir::MaskKind::kExplicit && node.input_count() <= kAttentionMask) {
    return node.error("a mask input for mask kind explicit", "none");
  }
  if (needs_positions(attributes.mask) && node.input_count() <= kAttentionPositions) {
    return node.error("a positions input for mask kind " + std::string(kind), "none");
  }
  if (node.input_count() <= kAttentionMask) return {};
  const TensorType& q = node.type(0);
  const TensorType& mask = node.type(kAttentionMask);
  const std::vector<Dim> scores = {q.dim(0), q.dim(1), q.dim(2), node.type(1).dim(2)};
  bool fits = mask.rank() <= 4 && (mask.element == ElementType::kF32 || mask.element == ElementType::kF16);
  for (int i = 0; fits && i < mask.rank(); ++i) {
    const Dim& extent = mask.dim(mask.rank() - 1 - i);
    fits = extent == Dim(1) || extent == scores[static_cast<size_t>(3 - i)];
  }
  if (fits) return {};
  return node.error("a mask f32 or f16 that broadcasts to " +
                        TensorType{ElementType::kF32, {scores.begin(), scores.end()}}.to_string(),
                    mask.to_string());
}

InferredTypes infer(const ir::Inference& node) {
  for (int i = 0; i < 3; ++i) {
    TENON_RETURN_IF_ERROR(require_rank(node, i, 4));
    const ElementType element = node.type(i).element;
    if (element != ElementType::kF32 && element != ElementType::kF16) {
      return node.error("q, k and v f32 or f16", node.type(i).to_string() + " at input " + std::to_string(i));
    }
    for (const int axis : {1, 3}) {
      const auto extent = require_static(node, i, axis);
      if (!extent.ok()) return extent.error();
    }
  }
  const TensorType &q = node.type(0), &k = node.type(1), &v = node.type(2);
  const int64_t heads = q.dim(1).value(), groups = k.dim(1).value();
  if (groups <= 0 || heads % groups != 0) {
    return node.error("a count of query heads that is a multiple of " + std::to_string(groups) + " key heads",
                      std::to_string(heads));
  }
  if (k.dim(0) != q.dim(0) || k.dim(3) != q.dim(3)) {
    return node.error("q and k of one batch and head size", q.to_string() + " and " + k.to_string());
  }
  if (v.dim(0) != k.dim(0) || v.dim(1) != k.dim(1) || v.dim(2) != k.dim(2)) {
    return node.error("k and v of one batch, heads and length", k.to_string() + " and " + v.to_string());
  }
  TENON_RETURN_IF_ERROR(check_mask(node));
  if (node.input_count() > kAttentionSinks) {
    const TensorType& sinks = node.type(kAttentionSinks);
    if (sinks.element != ElementType::kF32 || sinks.element_count() != q.dim(1))
      return node.error("an f32 sink for each of " + std::to_string(heads) + " heads", sinks.to_string());
  }
  if (node.input_count() > kAttentionPositions &&
      needs_positions(node.attributes<AttentionAttributes>().mask)) {
    const TensorType& positions = node.type(kAttentionPositions);
    if (positions.element_count() != q.dim(2) && positions.element_count() != q.dim(0) * q.dim(2)) {
      return node.error("a position for each query of " + q.to_string(), positions.to_string());
    }
  }
  return std::vector<TensorType>{{ElementType::kF32, {q.axes[0], q.axes[2], q.axes[1], v.axes[3]}}};
}

// What is added to the score of query `at` [b, h, t] and key `key`; -inf where the query does not see it.
class Mask {
 public:
  explicit Mask(const ReferenceCall& call)
      : attributes_(dynamic_cast<const AttentionAttributes&>(call.attributes)), call_(call) {
    if (needs_positions(attributes_.mask)) positions_ = load_all(call.inputs[kAttentionPositions]);
    for (const double position : positions_) last_ = std::max(last_, static_cast<int64_t>(position));
  }

  double operator()(const Index& at, int64_t key) const {
    if (attributes_.mask == ir::MaskKind::kBidirectional) return 0;
    if (attributes_.mask == ir::MaskKind::kExplicit) {
      const TensorRef& mask = call_.inputs[kAttentionMask];
      return load(mask, broadcast_index(mask, {at[0], at[1], at[2], key}, 4));
    }
    const int64_t queries = call_.inputs[0].extent[2];
    const bool per_batch = static_cast<int64_t>(positions_.size()) != queries;
    const int64_t position = position_of(key);
    const double ahead = positions_[static_cast<size_t>((per_batch ? at[0] * queries : 0) + at[2])] -
                         static_cast<double>(position);
    const bool in_window =
        attributes_.mask != ir::MaskKind::kWindow || ahead < static_cast<double>(attributes_.window);
    return position >= 0 && ahead >= 0 && in_window ? 0 : -std::numeric_limits<double>::infinity();
  }

 private:
  // Negative where a ring's row holds none yet.
  int64_t position_of(int64_t row) const {
    if (attributes_.ring == 0) return row;
    const int64_t since = (last_ - row) % attributes_.ring;
    return last_ - (since < 0 ? since + attributes_.ring : since);
  }

  const AttentionAttributes& attributes_;
  const ReferenceCall& call_;
  std::vector<double> positions_;
  int64_t last_ = 0;  // of the positions
};

Status reference(const ReferenceCall& call) {
  const double scale = dynamic_cast<const AttentionAttributes&>(call.attributes).scale;
  const TensorRef &q = call.inputs[0], &k = call.inputs[1], &v = call.inputs[2];
  const Mask mask(call);
  const std::vector<double> sinks =
      call.inputs.size() > kAttentionSinks ? load_all(call.inputs[kAttentionSinks]) : std::vector<double>();
  for_each_index(q, 3, [&](const Index& at) {
    const std::vector<double> query = load_row(q, at);
    const int64_t group = at[1] / (q.extent[1] / k.extent[1]);
    // Keys that the query does not see are not read: a cache's unwritten rows may hold anything.
    std::vector<std::pair<int64_t, double>> seen;
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < k.extent[2]; ++j) {
      const double bias = mask(at, j);
      if (bias == -std::numeric_limits<double>::infinity()) continue;
      const std::vector<double> key = load_row(k, {at[0], group, j});
      double score = 0;
      for (size_t i = 0; i < query.size(); ++i) score += query[i] * key[i];
      seen.emplace_back(j, score * scale + bias);
      largest = std::max(largest, seen.back().second);
    }
    double total = 0;
    if (!sinks.empty() && !seen.empty()) {
      const double sink = sinks[static_cast<size_t>(at[1])];
      largest = std::max(largest, sink);
      total = std::exp(sink - largest);
    }
    std::vector<double> sum(static_cast<size_t>(v.extent[3]));
    for (const auto& [j, score] : seen) {
      const double weight = std::exp(score - largest);
      const std::vector<double> value = load_row(v, {at[0], group, j});
      total += weight;
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += weight * value[i];
    }
    for (size_t i = 0; i < sum.size(); ++i) {
      store(call.outputs[0], {at[0], at[2], at[1], static_cast<int64_t>(i)},
            seen.empty() ? 0 : sum[i] / total);
    }
  });
  return {};
}

// Every head of `axis` `repeats` times, one after the other: the axis of the repeats is right behind it.
Result<ir::Value> repeat_heads(Builder& build, ir::Value value, int axis, int64_t repeats) {
  const TensorType type = value.type();
  UnsqueezeAttributes after_heads;
  after_heads.axes = {axis + 1};
  BroadcastAttributes repeat;
  repeat.target = {1, 1, 1, 1, 1};
  repeat.target[static_cast<size_t>(axis + 1)] = repeats;
  ReshapeAttributes merge;
  merge.target = {0, 0, 0, type.dim(3)};
  merge.special_zero = true;
  merge.target[static_cast<size_t>(axis)] = type.dim(axis) * Dim(repeats);
  if (axis == 1) merge.target[2] = -1;  // copied, it would be the repeats
  TENON_ASSIGN(ir::Value wide, build.add(unsqueeze_op(), {value}, after_heads));
  TENON_ASSIGN(wide, build.add(broadcast_op(), {wide}, repeat));
  return build.add(reshape_op(), {wide}, merge);
}

bool swaps_heads_and_tokens(const ir::Node& node) {
  if (!node.is("Transpose") || !node.input(1).node().is("Constant")) return false;
  return node.input(1).node().attributes_as<ir::ConstantAttributes>().values ==
         std::vector<int64_t>{0, 2, 1, 3};
}

// [B,G,KV,D] -> [B,H,KV,D]. Keys and values that come as [B,KV,G,D] and are swapped are tiled before it:
// so hosts know grouped heads.
Result<ir::Value> tile_heads(Builder& build, ir::Value value, int64_t heads) {
  const int64_t groups = value.type().dim(1).value();
  if (groups == heads) return value;
  if (!swaps_heads_and_tokens(value.node())) return repeat_heads(build, value, 1, heads / groups);
  TENON_ASSIGN(const ir::Value wide, repeat_heads(build, value.node().input(0), 2, heads / groups));
  return build.add(transpose_op(), {wide, build.integers({0, 2, 1, 3})});
}

// Softmax over the keys and, where there are sinks, one column of them that takes its share of the weights.
Result<ir::Value> weights_of(Builder& build, ir::Node& node, ir::Value scores) {
  if (node.input_count() <= kAttentionSinks) return build.add(softmax_op(), {scores}, SoftmaxAttributes{});
  const TensorType type = scores.type();
  ReshapeAttributes by_head;
  by_head.target = {1, type.dim(1), 1, 1};
  BroadcastAttributes for_all;
  for_all.target = {type.dim(0), type.dim(1), type.dim(2), 1};
  ConcatAttributes after_keys;
  after_keys.axis = 3;
  VariadicSplitAttributes keys_alone;
  keys_alone.axis = 3;
  TENON_ASSIGN(ir::Value sinks, build.add(reshape_op(), {node.input(kAttentionSinks)}, by_head));
  TENON_ASSIGN(sinks, build.add(broadcast_op(), {sinks}, for_all));
  TENON_ASSIGN(ir::Value all, build.add(concat_op(), {scores, sinks}, after_keys));
  TENON_ASSIGN(ir::Value shares, build.add(softmax_op(), {all}, SoftmaxAttributes{}));
  TENON_ASSIGN(ir::Node* const parts,
               build.add_node(variadic_split_op(), {shares, build.integers({-1, 1})}, keys_alone));
  return parts->output(0);
}

// Adds the dense mask for every kind: hosts pass one. Unlike the reference it reads masked keys and values.
Result<std::vector<ir::Value>> decompose(ir::Model& model, ir::Node& node) {
  Builder build(model, node.name());
  const auto& attributes = node.attributes_as<AttentionAttributes>();
  const int64_t heads = node.input(0).type().dim(1).value();
  MatMulAttributes by_rows;
  by_rows.transpose_b = true;
  TENON_ASSIGN(ir::Value k, tile_heads(build, node.input(1), heads));
  TENON_ASSIGN(ir::Value v, tile_heads(build, node.input(2), heads));
  TENON_ASSIGN(ir::Value scores, build.add(matmul_op(), {node.input(0), k}, by_rows));
  TENON_ASSIGN(scores, build.add(multiply_op(), {scores, build.scalar(attributes.scale)}));
  if (node.input_count() > kAttentionMask) {
    TENON_ASSIGN(ir::Value mask, build.convert(node.input(kAttentionMask), ElementType::kF32));
    TENON_ASSIGN(scores, build.add(add_op(), {scores, mask}));
  }
  TENON_ASSIGN(ir::Value weights, weights_of(build, node, scores));
  TENON_ASSIGN(ir::Value mixed, build.add(matmul_op(), {weights, v}, MatMulAttributes{}));
  TENON_ASSIGN(ir::Value out, build.add(transpose_op(), {mixed, build.integers({0, 2, 1, 3})}));
  return std::vector<ir::Value>{out};
}

// A mask whose structure is known is not looked at, and no positions where nothing depends on them.
bool reads(const ir::Attributes& attributes, int input) {
  const ir::MaskKind mask = dynamic_cast<const AttentionAttributes&>(attributes).mask;
  if (input == kAttentionMask) return mask == ir::MaskKind::kExplicit;
  return input != kAttentionPositions || needs_positions(mask);
}

}  // namespace

const OpDefinition& attention_op() {
  static const OpDefinition op{{.name = "Attention",
                                .inputs = {{"q", ir::InputKind::kFloat},
                                           {"k", ir::InputKind::kFloat},
                                           {"v", ir::InputKind::kFloat},
                                           {"mask", ir::InputKind::kFloat, true},
                                           {"positions", ir::InputKind::kIndex, true},
                                           {"sinks", ir::InputKind::kFloat, true}},
                                .make_attributes = ir::make_attributes<AttentionAttributes>,
                                .infer = infer},
                               reference,
                               decompose,
                               reads};
  return op;
}

}  // namespace tenon::op
