#include <algorithm>
#include <array>

#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/rms_norm.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kFloat = sizeof(float);
constexpr size_t kMaxSegments = 8;

// Which of a part's inputs are what; x and the weight come first.
struct PartLayout {
  int bias = -1;
  int residual = -1;
};

// A part's own inputs, without those of the step's prologue.
std::span<const TensorRef> own_inputs(const runtime::BoundStep& step, size_t part) {
  const std::span<const TensorRef> all = step.parts[part].inputs;
  return part == 0 ? all.first(all.size() - step.step->prologue_inputs) : all;
}

Result<MatmulSegment> segment_of(const runtime::BoundStep& step, size_t part, const PartLayout& layout) {
  const std::span<const TensorRef> inputs = own_inputs(step, part);
  const TensorRef& weight = inputs[1];
  TENON_ASSIGN(RowsView output, rows_of(step.parts[part].outputs[0]));
  MatmulSegment out;
  out.weight = weight.data;
  out.type = weight.element;
  out.rows = weight.extent[0];
  out.row_bytes = weight.stride[0];
  out.output = output.as<float>();
  out.output_stride = output.stride_in(kFloat);
  const auto has = [&](int input) { return input >= 0 && static_cast<size_t>(input) < inputs.size(); };
  if (has(layout.bias)) out.bias = inputs[static_cast<size_t>(layout.bias)].as<float>();
  if (has(layout.residual)) {
    TENON_ASSIGN(RowsView residual, rows_of(inputs[static_cast<size_t>(layout.residual)]));
    out.residual = residual.as<float>();
    out.residual_stride = residual.stride_in(kFloat);
  }
  return out;
}

Result<MatmulJob> job_of(const runtime::BoundStep& step, const StepContext& context) {
  TENON_ASSIGN(RowsView x, rows_of(step.parts[0].inputs[0]));
  MatmulJob job;
  job.x = x.as<float>();
  job.x_stride = x.stride_in(kFloat);
  job.tokens = x.rows;
  job.depth = x.width;
  if (!step.step->prologue.empty()) {  // a norm; its weight, if it has one, comes last
    job.normalises_x = true;
    job.norm_epsilon = static_cast<float>(step.step->find_attributes<op::RmsNormAttributes>()->epsilon);
    if (step.step->prologue_inputs > 0) job.norm_weight = step.parts[0].inputs.back().as<float>();
  }
  job.workspace = step.scratch;
  job.own_workspace = context.own_scratch;
  return job;
}

Status run_parts(const runtime::BoundStep& step, const PartLayout& layout, const StepContext& context) {
  TENON_ASSIGN(MatmulJob job, job_of(step, context));
  std::array<MatmulSegment, kMaxSegments> segments;
  for (size_t first = 0; first < step.parts.size(); first += kMaxSegments) {
    const size_t count = std::min(kMaxSegments, step.parts.size() - first);
    for (size_t i = 0; i < count; ++i) {
      TENON_ASSIGN(segments[i], segment_of(step, first + i, layout));
    }
    job.segments = {segments.data(), count};
    if (first > 0 && !context.worker.helps) context.worker.barrier();  // the workspace is taken anew
    context.kernels.matmul(job, context.worker);
  }
  return {};
}

}  // namespace

Status step_matmul(const runtime::BoundStep& step, const StepContext& context) {
  return run_parts(step, {.bias = 2}, context);
}

Status step_matmul_residual(const runtime::BoundStep& step, const StepContext& context) {
  return run_parts(step, {.residual = 2}, context);
}

Status step_matmul_bias_residual(const runtime::BoundStep& step, const StepContext& context) {
  return run_parts(step, {.bias = 2, .residual = 3}, context);
}

// Inputs x, gate, up.
Status step_matmul_swiglu(const runtime::BoundStep& step, const StepContext& context) {
  TENON_ASSIGN(MatmulJob job, job_of(step, context));
  TENON_ASSIGN(MatmulSegment gate, segment_of(step, 0, {}));
  MatmulSegment up = gate;
  up.weight = step.parts[0].inputs[2].data;
  const std::array segments = {gate, up};
  job.segments = segments;
  job.swiglu = true;
  context.kernels.matmul(job, context.worker);
  return {};
}

}  // namespace tenon::cpu
