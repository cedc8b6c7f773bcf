#include <algorithm>

#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/attention.h"
#include "tenon/op/rope.h"

namespace tenon::cpu {

namespace {
constexpr int64_t kFloat = sizeof(float);
}

// Inputs q [1,H,T,D], k [1,G,KV,D], v [1,G,KV,D], mask, positions, sinks; output [1,T,H,D].
Status step_attention(const runtime::BoundStep& step, const StepContext& context) {
  const runtime::BoundPart& part = step.parts[0];
  const auto& attributes = *step.step->find_attributes<op::AttentionAttributes>();
  const TensorRef &q = part.inputs[0], &k = part.inputs[1], &v = part.inputs[2], &out = part.outputs[0];
  for (const TensorRef* tensor : {&q, &k, &v, &out}) {
    if (!last_axis_packed(*tensor)) return strides_error();
  }
  AttentionJob job;
  job.q = q.data;
  job.q_type = q.element;
  job.q_head_stride = q.stride[1];
  job.q_token_stride = q.stride[2];
  job.k = k.data;
  job.k_type = k.element;
  job.k_head_stride = k.stride[1];
  job.k_token_stride = k.stride[2];
  job.v = v.data;
  job.v_type = v.element;
  job.v_head_stride = v.stride[1];
  job.v_token_stride = v.stride[2];
  job.output = out.as<float>();
  job.output_token_stride = out.stride[1];
  job.output_head_stride = out.stride[2];
  job.tokens = q.extent[2];
  job.keys = k.extent[2];
  job.heads = q.extent[1];
  job.kv_heads = k.extent[1];
  job.head_size = q.extent[3];
  job.scale = static_cast<float>(attributes.scale);
  switch (attributes.mask) {
    case ir::MaskKind::kBidirectional:
      job.mask = AttentionMask::kNone;
      break;
    case ir::MaskKind::kCausal:
    case ir::MaskKind::kWindow:
      job.mask = AttentionMask::kCausal;
      job.positions = part.inputs[4].as<int32_t>();
      job.window = attributes.mask == ir::MaskKind::kWindow ? attributes.window : 0;
      if (attributes.ring > 0) {
        job.block_size = attributes.ring;
        job.keys = *std::max_element(job.positions, job.positions + job.tokens) + int64_t{1};
      }
      break;
    case ir::MaskKind::kExplicit: {
      const TensorRef& mask = part.inputs[3];
      if (!last_axis_packed(mask)) return strides_error();
      job.mask = AttentionMask::kRows;
      job.mask_rows = mask.data;
      job.mask_type = mask.element;
      job.mask_stride = mask.extent[static_cast<size_t>(mask.rank - 2)] == 1
                            ? 0
                            : mask.stride[static_cast<size_t>(mask.rank - 2)];
      break;
    }
  }
  if (part.inputs.size() > 5) job.sinks = part.inputs[5].as<float>();
  job.half_sums = job.keys >= kHalfSumKeys;
  job.workspace = step.scratch;
  job.own_workspace = context.own_scratch;
  context.kernels.attention(job, context.worker);
  context.count_read(k.extent[2] * job.kv_heads * job.head_size *
                     (info(job.k_type).block_bytes + info(job.v_type).block_bytes));
  return {};
}

// Inputs positions, factors (optional); output [T, n_rot].
Status step_rope_table(const runtime::BoundStep& step, const StepContext& context) {
  const runtime::BoundPart& part = step.parts[0];
  const auto& attributes = *step.step->find_attributes<op::RopeAttributes>();
  RopeTableJob job;
  job.parameters = {.rotated = attributes.n_rot,
                    .base = static_cast<float>(attributes.freq_base),
                    .freq_scale = static_cast<float>(attributes.freq_scale),
                    .extrapolation_factor = static_cast<float>(attributes.ext_factor),
                    .attention_factor = static_cast<float>(attributes.attn_factor),
                    .beta_fast = static_cast<float>(attributes.beta_fast),
                    .beta_slow = static_cast<float>(attributes.beta_slow),
                    .original_context = attributes.original_context};
  job.positions = part.inputs[0].as<int32_t>();
  if (part.inputs.size() > 1) job.freq_factors = part.inputs[1].as<float>();
  if (attributes.mode == op::RopeMode::kImrope) job.components = &attributes;
  job.tokens = part.outputs[0].extent[0];
  job.table = part.outputs[0].as<float>();
  build_rope_table(job, context.worker);
  return {};
}

// Inputs x, positions, factors (optional), table.
Status step_rope(const runtime::BoundStep& step, const StepContext& context) {
  const auto& attributes = *step.step->find_attributes<op::RopeAttributes>();
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef &x = part.inputs.front(), &out = part.outputs[0];
    if (!last_axis_packed(x)) return strides_error();
    RopeJob job;
    job.mode = attributes.mode == op::RopeMode::kNormal ? RopeMode::kNormal : RopeMode::kNeox;
    job.x = x.as<float>();
    const size_t token_axis = x.extent[0] == 1 ? 1 : 0;  // [1,T,H,D], or [T,1,H,D] of a paged model
    job.x_token_stride = x.stride[token_axis] / kFloat;
    job.x_head_stride = x.stride[2] / kFloat;
    job.output = out.as<float>();
    job.output_token_stride = out.stride[token_axis] / kFloat;
    job.output_head_stride = out.stride[2] / kFloat;
    job.tokens = x.extent[token_axis];
    job.heads = x.extent[2];
    job.head_size = x.extent[3];
    job.rotated = attributes.n_rot;
    job.table = part.inputs.back().as<float>();
    context.kernels.rope(job, context.worker);
  }
  return {};
}

}  // namespace tenon::cpu
