#include "tenon/cpu/slabs.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/swiglu_oai.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kFloat = sizeof(float);

Status binary(BinaryOp op, const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const std::array<TensorRef, 3> tensors = {part.outputs[0], part.inputs[0], part.inputs[1]};
    TENON_RETURN_IF_ERROR(for_each_slab(tensors, [&](const std::array<RowsView, 3>& rows) {
      const auto& [out, a, b] = rows;
      context.kernels.binary({.op = op,
                              .a = a.as<float>(),
                              .a_stride = a.stride_in(kFloat),
                              .b = b.as<float>(),
                              .b_stride = b.stride_in(kFloat),
                              .b_rows = b.rows,
                              .b_width = b.width,
                              .output = out.as<float>(),
                              .output_stride = out.stride_in(kFloat),
                              .rows = out.rows,
                              .width = out.width},
                             context.worker);
    }));
  }
  return {};
}

Status unary(UnaryOp op, const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const std::array<TensorRef, 2> tensors = {part.outputs[0], part.inputs[0]};
    TENON_RETURN_IF_ERROR(for_each_slab(tensors, [&](const std::array<RowsView, 2>& rows) {
      const auto& [out, x] = rows;
      context.kernels.unary({.op = op,
                             .x = x.as<float>(),
                             .x_stride = x.stride_in(kFloat),
                             .output = out.as<float>(),
                             .output_stride = out.stride_in(kFloat),
                             .rows = out.rows,
                             .width = out.width},
                            context.worker);
    }));
  }
  return {};
}

GluJob glu_job_of(const std::array<RowsView, 3>& rows) {
  const auto& [out, gate, up] = rows;
  return {.gate = gate.as<float>(),
          .gate_stride = gate.stride_in(kFloat),
          .up = up.as<float>(),
          .up_stride = up.stride_in(kFloat),
          .output = out.as<float>(),
          .output_stride = out.stride_in(kFloat),
          .rows = out.rows,
          .width = out.width};
}

// Inputs gate, up.
template <class Run>
Status gated(const runtime::BoundStep& step, const Run& run) {
  for (const runtime::BoundPart& part : step.parts) {
    const std::array<TensorRef, 3> tensors = {part.outputs[0], part.inputs[0], part.inputs[1]};
    TENON_RETURN_IF_ERROR(
        for_each_slab(tensors, [&](const std::array<RowsView, 3>& rows) { run(glu_job_of(rows)); }));
  }
  return {};
}

}  // namespace

Status step_add(const runtime::BoundStep& step, const StepContext& context) {
  return binary(BinaryOp::kAdd, step, context);
}

Status step_divide(const runtime::BoundStep& step, const StepContext& context) {
  return binary(BinaryOp::kDivide, step, context);
}

Status step_multiply(const runtime::BoundStep& step, const StepContext& context) {
  return binary(BinaryOp::kMultiply, step, context);
}

Status step_gelu(const runtime::BoundStep& step, const StepContext& context) {
  return unary(UnaryOp::kGelu, step, context);
}

Status step_sigmoid(const runtime::BoundStep& step, const StepContext& context) {
  return unary(UnaryOp::kSigmoid, step, context);
}

Status step_silu(const runtime::BoundStep& step, const StepContext& context) {
  return unary(UnaryOp::kSilu, step, context);
}

Status step_softplus(const runtime::BoundStep& step, const StepContext& context) {
  return unary(UnaryOp::kSoftplus, step, context);
}

Status step_tanh(const runtime::BoundStep& step, const StepContext& context) {
  return unary(UnaryOp::kTanh, step, context);
}

Status step_geglu(const runtime::BoundStep& step, const StepContext& context) {
  return gated(step, [&](const GluJob& job) { context.kernels.geglu(job, context.worker); });
}

Status step_swiglu(const runtime::BoundStep& step, const StepContext& context) {
  return gated(step, [&](const GluJob& job) { context.kernels.swiglu(job, context.worker); });
}

Status step_swiglu_oai(const runtime::BoundStep& step, const StepContext& context) {
  const auto& attributes = *step.step->find_attributes<op::SwigluOaiAttributes>();
  return gated(step, [&](const GluJob& job) {
    context.kernels.clamped_glu(
        {job, static_cast<float>(attributes.alpha), static_cast<float>(attributes.limit)}, context.worker);
  });
}

}  // namespace tenon::cpu
