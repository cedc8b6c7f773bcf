// The feed-forward network whose matrices each token chooses: a mixture of experts.
#pragma once

#include <optional>

#include "tenon/arch/blocks/linear.h"

namespace tenon::arch {

// How the router's logits become the weights of the chosen experts.
enum class Gating {
  kSoftmax,          // of all experts
  kSoftmaxOfChosen,  // of the chosen ones, which the logits themselves choose
};

enum class ExpertUnit { kGeglu, kSwiglu, kSwigluOai };

// What differs from family to family.
struct ExpertsFamily {
  Gating gating = Gating::kSoftmax;
  bool normalised = false;  // the chosen experts' weights are divided by their sum
  ExpertUnit unit = ExpertUnit::kSwiglu;
};

// x [1, 1, T, F] -> [1, 1, T, F]: the weighted sum of what the experts of each token make of it. The router
// is ffn_gate_inp [E, F]; the experts are ffn_gate_exps and ffn_up_exps [E, W, F] and ffn_down_exps [E, F,
// W], or ffn_gate_up_exps [E, 2 W, F] for the first two. The router reads `router_input` where that is given,
// else x. Each has a bias where the file has one, and the experts' "<tensor>.scale" [E] as `scale` says,
// which is not kAfterBias.
Result<decoder::Edge> expert_feed_forward(Transformer& model, decoder::Edge x, int64_t layer,
                                          const ExpertsFamily& family, ScalePlace scale,
                                          std::optional<decoder::Edge> router_input = {});

}  // namespace tenon::arch
