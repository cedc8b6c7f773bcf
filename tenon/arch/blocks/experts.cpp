#include "tenon/arch/blocks/experts.h"

#include <limits>

#include "tenon/arch/blocks/channel_parts.h"

namespace tenon::arch {

using decoder::Edge;

namespace {

// A sum of weights is not taken for less than the smallest normal number of f16.
constexpr double kSmallestSum = 6.103515625e-5;
constexpr double kOaiAlpha = 1.702;
constexpr double kOaiLimit = 7;

struct Choice {
  Edge ids;      // i32 [1, 1, T, U]
  Edge weights;  // f32 [1, T, U, 1]
};

// The graph of one layer's experts.
class Experts {
 public:
  Experts(Transformer& model, int64_t layer, const ExpertsFamily& family, ScalePlace scale)
      : model_(model), graph_(model.graph), layer_(layer), family_(family), scale_(scale) {}

  Result<Edge> build(Edge x, Edge router_input) {
    TENON_ASSIGN(const Choice choice, choose(router_input));
    const std::vector<Axis>& axes = graph_.type(x).axes;
    const Edge rows = graph_.reshape(x, {1, axes[2], 1, axes[3]}, node("ffn_moe_inp"));
    TENON_ASSIGN(const Edge units, gated(rows, choice));
    TENON_ASSIGN(const Edge down,
                 product(units, choice, "ffn_down_exps", model_.hyperparameters.embedding, "ffn_moe_down"));
    return sum_of_slots(graph_.mul(down, choice.weights, node("ffn_moe_weighted")));
  }

 private:
  const ExpertCounts& counts() const { return model_.hyperparameters.experts; }
  std::string node(std::string_view name) const { return layer_node(name, layer_); }

  // The same values as rows of one for each slot, and as one row for each token.
  Edge as_column(Edge weights, const std::string& name) {
    const std::vector<Axis> axes = graph_.type(weights).axes;
    return graph_.reshape(weights, {1, axes[2], axes[3], 1}, node(name));
  }
  Edge as_row(Edge weights, const std::string& name) {
    const std::vector<Axis> axes = graph_.type(weights).axes;
    return graph_.reshape(weights, {1, 1, axes[1], axes[2]}, node(name));
  }

  Result<Edge> router_logits(Edge x) {
    const Axis experts(counts().count, AxisRole::kExpert);
    const std::string bias = layer_tensor("ffn_gate_inp.bias", layer_);
    TENON_ASSIGN(const Edge router,
                 model_.weights.tensor(graph_, layer_tensor("ffn_gate_inp.weight", layer_),
                                       {experts, {model_.hyperparameters.embedding, AxisRole::kChannel}}));
    const Edge logits = graph_.mul_mat(router, x, node("ffn_moe_logits"));
    if (!model_.weights.contains(bias)) return logits;
    TENON_ASSIGN(const Edge shift, model_.weights.tensor(graph_, bias, {experts}, /*f32_only=*/true));
    return graph_.add(logits, shift, node("ffn_moe_logits_biased"));
  }

  Result<Choice> choose(Edge x) {
    TENON_ASSIGN(Edge probabilities, router_logits(x));
    if (family_.gating == Gating::kSoftmax)
      probabilities = graph_.soft_max(probabilities, node("ffn_moe_probs"));
    const Edge order =
        graph_.argsort(probabilities, decoder::SortOrder::kDescending, node("ffn_moe_argsort"));
    std::vector<Axis> chosen = graph_.type(order).axes;
    chosen.back().extent = counts().used;
    const Edge ids = graph_.view(order, 3, 0, counts().used, std::move(chosen), node("ffn_moe_topk"));
    Edge weights =
        graph_.get_rows(as_column(probabilities, "ffn_moe_probs_columns"), ids, node("ffn_moe_weights"));
    if (family_.gating == Gating::kSoftmaxOfChosen) {
      weights = graph_.soft_max(as_row(weights, "ffn_moe_weights_rows"), node("ffn_moe_weights_softmax"));
      weights = as_column(weights, "ffn_moe_weights_columns");
    }
    if (family_.normalised) weights = normalise(weights);
    return Choice{ids, weights};
  }

  Edge normalise(Edge weights) {
    const Edge rows = as_row(weights, "ffn_moe_weights_rows");
    Edge sum = graph_.sum_rows(rows, node("ffn_moe_weights_sum"));
    sum = graph_.clamp(sum, kSmallestSum, std::numeric_limits<double>::infinity(),
                       node("ffn_moe_weights_sum_clamped"));
    return as_column(graph_.div(rows, sum, node("ffn_moe_weights_norm")), "ffn_moe_weights_columns");
  }

  Result<Edge> gated(Edge rows, const Choice& choice) {
    const int64_t width = counts().feed_forward;
    if (model_.weights.contains(layer_tensor("ffn_gate_up_exps.weight", layer_))) {
      TENON_ASSIGN(const Edge both, product(rows, choice, "ffn_gate_up_exps", 2 * width, "ffn_moe_gate_up"));
      ChannelParts halves(graph_, both);
      const Edge gate = halves.next(width, node("ffn_moe_gate"));
      return unit(gate, halves.next(width, node("ffn_moe_up")));
    }
    TENON_ASSIGN(const Edge up, product(rows, choice, "ffn_up_exps", width, "ffn_moe_up"));
    TENON_ASSIGN(const Edge gate, product(rows, choice, "ffn_gate_exps", width, "ffn_moe_gate"));
    return unit(gate, up);
  }

  Edge unit(Edge gate, Edge up) {
    switch (family_.unit) {
      case ExpertUnit::kGeglu:
        return graph_.geglu(gate, up, node("ffn_moe_geglu"));
      case ExpertUnit::kSwiglu:
        return graph_.swiglu(gate, up, node("ffn_moe_swiglu"));
      case ExpertUnit::kSwigluOai:
        break;
    }
    return graph_.swiglu_oai(gate, up, kOaiAlpha, kOaiLimit, node("ffn_moe_swiglu_oai"));
  }

  // x [1, T, S, K] -> [1, T, U, width], by each slot's matrix of `tensor`.
  Result<Edge> product(Edge x, const Choice& choice, const std::string& tensor, int64_t width,
                       const std::string& name) {
    const Axis experts(counts().count, AxisRole::kExpert), rows(width, AxisRole::kChannel);
    const std::string stem = layer_tensor(tensor, layer_);
    TENON_ASSIGN(const Edge matrices, model_.weights.tensor(graph_, stem + ".weight",
                                                            {experts, rows, graph_.type(x).axes.back()}));
    Edge y = graph_.mul_mat_id(matrices, x, choice.ids, node(name));
    model_.weights.leave_out(stem + ".input_scale");  // of activations that others quantise
    if (scale_ == ScalePlace::kNowhere) {
      model_.weights.leave_out(stem + ".scale");
    } else if (model_.weights.contains(stem + ".scale")) {
      TENON_ASSIGN(const Edge scales,
                   model_.weights.tensor(graph_, stem + ".scale", {experts}, /*f32_only=*/true));
      const Edge table = graph_.reshape(scales, {experts, 1}, node(name + "_scales"));
      y = graph_.mul(y, graph_.get_rows(table, choice.ids, node(name + "_scale")), node(name + "_scaled"));
    }
    if (!model_.weights.contains(stem + ".bias")) return y;
    TENON_ASSIGN(const Edge biases,
                 model_.weights.tensor(graph_, stem + ".bias", {experts, rows}, /*f32_only=*/true));
    return graph_.add_id(y, biases, choice.ids, node(name + "_biased"));
  }

  // [1, T, U, F] -> [1, 1, T, F].
  Edge sum_of_slots(Edge x) {
    const std::vector<Axis> axes = graph_.type(x).axes;
    const auto slot = [&](int64_t index) {
      return graph_.view(x, 2, index, 1, {1, 1, axes[1], axes[3]},
                         node("ffn_moe_slot_" + std::to_string(index)));
    };
    Edge sum = slot(0);
    for (int64_t index = 1; index < counts().used; ++index) {
      sum = graph_.add(sum, slot(index), node("ffn_moe_out_" + std::to_string(index)));
    }
    return sum;
  }

  Transformer& model_;
  GraphBuilder& graph_;
  int64_t layer_;
  const ExpertsFamily& family_;
  ScalePlace scale_;
};

}  // namespace

Result<Edge> expert_feed_forward(Transformer& model, Edge x, int64_t layer, const ExpertsFamily& family,
                                 ScalePlace scale, std::optional<Edge> router_input) {
  return Experts(model, layer, family, scale).build(x, router_input.value_or(x));
}

}  // namespace tenon::arch
