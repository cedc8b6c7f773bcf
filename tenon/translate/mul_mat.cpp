#include "tenon/op/matmul.h"

#include "tenon/op/broadcast.h"
#include "tenon/op/reshape.h"
#include "tenon/op/unsqueeze.h"
#include "tenon/translate/translators.h"

namespace tenon::translate {

namespace {

// ggml lets consecutive heads of x share one of w; the catalogue broadcasts extents of 1 alone. w [B, G, N,
// K] for x [B, H, T, K] becomes [B, H, N, K], each of the G repeated H / G times.
Result<ir::Value> repeat_groups(NodeContext& context, ir::Value w, ir::Value x) {
  constexpr int kHeads = 1;
  if (w.type().rank() != 4 || x.type().rank() != 4) return w;
  const auto groups = w.type().dim(kHeads).try_value();
  const auto heads = x.type().dim(kHeads).try_value();
  if (!groups || !heads || *groups <= 1 || *groups == *heads) return w;
  if (*heads % *groups != 0)
    return context.invalid("heads that are a multiple of " + std::to_string(*groups), std::to_string(*heads));
  op::Builder& build = context.build();
  const TensorType type = w.type();
  op::UnsqueezeAttributes repeats;
  repeats.axes = {kHeads + 1};
  TENON_ASSIGN(w, build.add(op::unsqueeze_op(), {w}, repeats));
  op::BroadcastAttributes repeated;
  repeated.target = {type.dim(0), *groups, *heads / *groups, type.dim(2), type.dim(3)};
  TENON_ASSIGN(w, build.add(op::broadcast_op(), {w}, repeated));
  op::ReshapeAttributes merged;
  merged.target = {type.dim(0), *heads, type.dim(2), type.dim(3)};
  return build.add(op::reshape_op(), {w}, merged);
}

}  // namespace

// w [.., N, K], x [.., T, K] -> f32 [.., T, N].
Translation translate_mul_mat(NodeContext& context) {
  TENON_ASSIGN(const std::vector<ir::Value> inputs, context.inputs(2));
  TENON_ASSIGN(const ir::Value w, repeat_groups(context, inputs[0], inputs[1]));
  op::MatMulAttributes attributes;
  attributes.transpose_b = true;
  TENON_ASSIGN(const ir::Value result, context.build().add(op::matmul_op(), {inputs[1], w}, attributes));
  return std::vector{result};
}

}  // namespace tenon::translate
