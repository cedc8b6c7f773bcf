#include "tenon/op/rope.h"

#include "tenon/translate/translators.h"

namespace tenon::translate {

// Inputs x [B, T, H, D], positions, optional frequency factors, as in ggml.
Translation translate_rope(NodeContext& context) {
  TENON_ASSIGN(std::vector<ir::Value> inputs, context.inputs(2, 3));
  TENON_ASSIGN(const auto rope, context.attributes<decoder::RopeAttributes>());
  op::RopeAttributes attributes;
  switch (rope.mode) {
    case decoder::RopeMode::kNormal:
      attributes.mode = op::RopeMode::kNormal;
      break;
    case decoder::RopeMode::kNeox:
      attributes.mode = op::RopeMode::kNeox;
      break;
    case decoder::RopeMode::kImrope:
      attributes.mode = op::RopeMode::kImrope;
      attributes.sections.assign(rope.sections.begin(), rope.sections.end());
      break;
    default:
      return context.unknown_case();
  }
  attributes.n_rot = rope.n_rot;
  attributes.freq_base = rope.freq_base;
  attributes.freq_scale = rope.freq_scale;
  attributes.ext_factor = rope.ext_factor;
  attributes.attn_factor = rope.attn_factor;
  attributes.beta_fast = rope.beta_fast;
  attributes.beta_slow = rope.beta_slow;
  attributes.original_context = rope.original_context;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::rope_op(), std::move(inputs), attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
