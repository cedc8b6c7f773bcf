#include "tenon/cpu/copy.h"
#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/concat.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kFloat = sizeof(float);

Status check_packed(const runtime::BoundPart& part) {
  for (const TensorRef& tensor : part.inputs) {
    if (!last_axis_packed(tensor)) return strides_error();
  }
  return {};
}

Status check_contiguous(const TensorRef& tensor) {
  return is_contiguous(tensor) ? Status() : strides_error();
}

}  // namespace

// Input and output hold the same elements in order; the output has no gaps.
Status step_copy(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TensorRef to = part.outputs[0];
    to.rank = part.inputs[0].rank;
    to.extent = part.inputs[0].extent;
    set_contiguous_strides(to);
    copy_elements(part.inputs[0], to, context.worker);
  }
  return {};
}

Status step_concat(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TensorRef to = part.outputs[0];
    const int64_t given = step.step->find_attributes<op::ConcatAttributes>()->axis;
    const auto axis = static_cast<size_t>(given < 0 ? given + to.rank : given);
    for (const TensorRef& from : part.inputs) {
      to.extent[axis] = from.extent[axis];
      copy_elements(from, to, context.worker);
      to.data += from.extent[axis] * to.stride[axis];
    }
  }
  return {};
}

// Inputs x [1, 1, C, K - 1 + T], weight [C, K]; output [1, 1, T, C].
Status step_ssm_conv(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef &x = part.inputs[0], &weight = part.inputs[1], &out = part.outputs[0];
    TENON_RETURN_IF_ERROR(check_packed(part));
    TENON_RETURN_IF_ERROR(check_contiguous(weight));
    context.kernels.ssm_conv({.x = x.as<float>(),
                              .x_stride = x.stride[2] / kFloat,
                              .weight = weight.as<float>(),
                              .output = out.as<float>(),
                              .output_stride = out.stride[2] / kFloat,
                              .channels = x.extent[2],
                              .tokens = out.extent[2],
                              .kernel = weight.extent[1]},
                             context.worker);
  }
  return {};
}

// Inputs state [1, H, P, N], x [1, T, H, P], dt [1, 1, T, H], a [H, 1], b and c [1, T, G, N]; outputs
// y [1, T, H, P] and the next state.
Status step_ssm_scan(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef &state = part.inputs[0], &x = part.inputs[1], &dt = part.inputs[2], &a = part.inputs[3];
    const TensorRef &b = part.inputs[4], &c = part.inputs[5];
    TENON_RETURN_IF_ERROR(check_packed(part));
    for (const TensorRef* tensor : {&state, &a}) TENON_RETURN_IF_ERROR(check_contiguous(*tensor));
    context.kernels.ssm_scan({.state = state.as<float>(),
                              .x = x.as<float>(),
                              .x_token_stride = x.stride[1] / kFloat,
                              .x_head_stride = x.stride[2] / kFloat,
                              .dt = dt.as<float>(),
                              .dt_stride = dt.stride[2] / kFloat,
                              .decay = a.as<float>(),
                              .b = b.as<float>(),
                              .b_token_stride = b.stride[1] / kFloat,
                              .b_group_stride = b.stride[2] / kFloat,
                              .c = c.as<float>(),
                              .c_token_stride = c.stride[1] / kFloat,
                              .c_group_stride = c.stride[2] / kFloat,
                              .output = part.outputs[0].as<float>(),
                              .next = part.outputs[1].as<float>(),
                              .tokens = x.extent[1],
                              .heads = x.extent[2],
                              .groups = b.extent[2],
                              .size = x.extent[3],
                              .width = state.extent[3]},
                             context.worker);
  }
  return {};
}

// Inputs q and k [1, T, G, D], v [1, T, H, D], gate and beta [1, T, H, 1], state [1, H, D, D]; outputs
// [1, T, H, D] and the next state.
Status step_gated_delta_net(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef &q = part.inputs[0], &k = part.inputs[1], &v = part.inputs[2], &gate = part.inputs[3];
    const TensorRef &beta = part.inputs[4], &state = part.inputs[5];
    TENON_RETURN_IF_ERROR(check_packed(part));
    TENON_RETURN_IF_ERROR(check_contiguous(state));
    for (const TensorRef* tensor : {&gate, &beta}) {  // heads follow each other
      if (tensor->extent[2] != 1 && tensor->stride[2] != kFloat) return strides_error();
    }
    context.kernels.gated_delta_net({.q = q.as<float>(),
                                     .q_token_stride = q.stride[1] / kFloat,
                                     .q_group_stride = q.stride[2] / kFloat,
                                     .k = k.as<float>(),
                                     .k_token_stride = k.stride[1] / kFloat,
                                     .k_group_stride = k.stride[2] / kFloat,
                                     .v = v.as<float>(),
                                     .v_token_stride = v.stride[1] / kFloat,
                                     .v_head_stride = v.stride[2] / kFloat,
                                     .gate = gate.as<float>(),
                                     .gate_stride = gate.stride[1] / kFloat,
                                     .beta = beta.as<float>(),
                                     .beta_stride = beta.stride[1] / kFloat,
                                     .state = state.as<float>(),
                                     .output = part.outputs[0].as<float>(),
                                     .next = part.outputs[1].as<float>(),
                                     .tokens = v.extent[1],
                                     .heads = v.extent[2],
                                     .groups = q.extent[2],
                                     .size = v.extent[3]},
                                    context.worker);
  }
  return {};
}

}  // namespace tenon::cpu
