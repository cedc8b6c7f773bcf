#include <algorithm>
#include <cstring>

#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/rms_norm.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kFloat = sizeof(float);

Status check_range(std::string_view step, const int64_t* index, int64_t count, int64_t extent) {
  for (int64_t i = 0; i < count; ++i) {
    if (index[i] >= 0 && index[i] < extent) continue;
    return Error{ErrorCode::kInvalidArgument, std::string(step),
                 "an index from 0 to " + std::to_string(extent - 1), std::to_string(index[i]), ""};
  }
  return {};
}

// What lies at `index` of the first axis.
TensorRef part_of(const TensorRef& tensor, int64_t index) {
  TensorRef out = tensor;
  out.data += index * tensor.stride[0];
  --out.rank;
  std::copy_n(tensor.extent.begin() + 1, out.rank, out.extent.begin());
  std::copy_n(tensor.stride.begin() + 1, out.rank, out.stride.begin());
  return out;
}

// Rows of one token each, [1, T, H, D] -> [T, H*D].
Result<RowsView> token_rows(const TensorRef& tensor) {
  TensorRef flat = tensor;
  if (flat.rank == 4) {
    const bool heads_packed =
        tensor.extent[2] == 1 || tensor.stride[2] == tensor.extent[3] * info(tensor.element).block_bytes;
    if (!heads_packed || !last_axis_packed(tensor)) return strides_error();
    flat.rank = 3;
    flat.extent[2] = tensor.extent[2] * tensor.extent[3];
    flat.stride[2] = info(tensor.element).block_bytes;
  }
  return rows_of(flat);
}

// Part: cache, index, rows. Writes the rows into `cache` (in place, or its fresh copy).
Status write_rows(const runtime::BoundStep& step, const runtime::BoundPart& part, const TensorRef& cache,
                  const StepContext& context) {
  TENON_ASSIGN(RowsView to, token_rows(cache));
  TENON_ASSIGN(RowsView from, token_rows(part.inputs[2]));
  const auto* index = part.inputs[1].as<int64_t>();
  TENON_RETURN_IF_ERROR(check_range(step.step->name, index, from.rows, to.rows));
  ConvertJob job;
  job.input = from.data;
  job.input_type = part.inputs[2].element;
  job.input_stride = from.stride;
  job.output = to.data;
  job.output_type = cache.element;
  job.output_stride = to.stride;
  job.destination = index;
  job.rows = from.rows;
  job.width = from.width;
  context.kernels.convert(job, context.worker);
  context.count_written(job.rows * job.width * info(cache.element).block_bytes);
  return {};
}

Status binary(BinaryOp op, const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView a, rows_of(part.inputs[0]));
    TENON_ASSIGN(RowsView b, rows_of(part.inputs[1]));
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
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
  }
  return {};
}

Status gated(void (*kernel)(const GluJob&, const Worker&), const runtime::BoundStep& step,
             const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView gate, rows_of(part.inputs[0]));
    TENON_ASSIGN(RowsView up, rows_of(part.inputs[1]));
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    kernel({.gate = gate.as<float>(),
            .gate_stride = gate.stride_in(kFloat),
            .up = up.as<float>(),
            .up_stride = up.stride_in(kFloat),
            .output = out.as<float>(),
            .output_stride = out.stride_in(kFloat),
            .rows = out.rows,
            .width = out.width},
           context.worker);
  }
  return {};
}

// Along the last axes of [.., H, T, D] that lie at one distance; the axes before them one index after the
// other, since a transposed view has its own distance for each.
Status convert(const TensorRef& input, const TensorRef& output, const StepContext& context) {
  const Result<RowsView> in = rows_of(input);
  if (!in.ok() && input.rank > 1) {
    for (int64_t i = 0; i < input.extent[0]; ++i) {
      TENON_RETURN_IF_ERROR(convert(part_of(input, i), part_of(output, i), context));
    }
    return {};
  }
  if (!in.ok()) return in.error();
  TENON_ASSIGN(RowsView out, rows_of(output));
  ConvertJob job;
  job.input = in->data;
  job.input_type = input.element;
  job.input_stride = in->stride;
  job.output = out.data;
  job.output_type = output.element;
  job.output_stride = out.stride;
  job.rows = out.rows;
  job.width = out.width;
  context.kernels.convert(job, context.worker);
  return {};
}

}  // namespace

Status step_stateless_kv(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_RETURN_IF_ERROR(write_rows(step, part, part.inputs[0], context));
  }
  return {};
}

// The copying layout: the cache as it was, then the new rows over it.
Status step_scatter_rows(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView from, token_rows(part.inputs[0]));
    TENON_ASSIGN(RowsView to, token_rows(part.outputs[0]));
    const auto bytes = static_cast<size_t>(from.width * info(part.inputs[0].element).block_bytes);
    const Worker::Range rows = context.worker.share(from.rows);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      std::memcpy(to.data + row * to.stride, from.data + row * from.stride, bytes);
    }
    context.count_read(from.rows * static_cast<int64_t>(bytes));
    context.count_written(from.rows * static_cast<int64_t>(bytes));
    context.worker.barrier();
    TENON_RETURN_IF_ERROR(write_rows(step, part, part.outputs[0], context));
  }
  return {};
}

// Inputs x, weight (optional).
Status step_rms_norm(const runtime::BoundStep& step, const StepContext& context) {
  const auto& attributes = *step.step->find_attributes<op::RmsNormAttributes>();
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView x, rows_of(part.inputs[0]));
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    RmsNormJob job;
    job.x = x.as<float>();
    job.x_token_stride = x.stride_in(kFloat);
    if (part.inputs.size() > 1) job.weight = part.inputs[1].as<float>();
    job.output = out.as<float>();
    job.output_token_stride = out.stride_in(kFloat);
    job.tokens = x.rows;
    job.width = x.width;
    job.epsilon = static_cast<float>(attributes.epsilon);
    context.kernels.rms_norm(job, context.worker);
  }
  return {};
}

Status step_add(const runtime::BoundStep& step, const StepContext& context) {
  return binary(BinaryOp::kAdd, step, context);
}

Status step_multiply(const runtime::BoundStep& step, const StepContext& context) {
  return binary(BinaryOp::kMultiply, step, context);
}

Status step_tanh(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView x, rows_of(part.inputs[0]));
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    context.kernels.unary({.op = UnaryOp::kTanh,
                           .x = x.as<float>(),
                           .x_stride = x.stride_in(kFloat),
                           .output = out.as<float>(),
                           .output_stride = out.stride_in(kFloat),
                           .rows = out.rows,
                           .width = out.width},
                          context.worker);
  }
  return {};
}

Status step_geglu(const runtime::BoundStep& step, const StepContext& context) {
  return gated(context.kernels.geglu, step, context);
}

Status step_swiglu(const runtime::BoundStep& step, const StepContext& context) {
  return gated(context.kernels.swiglu, step, context);
}

// Inputs table [.., V, F] with leading axes of 1, ids.
Status step_gather_rows(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef &table = part.inputs[0], &ids = part.inputs[1];
    const auto rows_axis = static_cast<size_t>(table.rank - 2);
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    for (int64_t i = 0; i < out.rows; ++i) {
      const int64_t id = ids.element == ElementType::kI64 ? ids.as<int64_t>()[i] : ids.as<int32_t>()[i];
      TENON_RETURN_IF_ERROR(check_range(step.step->name, &id, 1, table.extent[rows_axis]));
    }
    GatherRowsJob job;
    job.table = table.data;
    job.type = table.element;
    job.row_bytes = table.stride[rows_axis];
    job.table_rows = table.extent[rows_axis];
    job.width = table.extent[rows_axis + 1];
    job.ids = ids.data;
    job.id_type = ids.element;
    job.output = out.as<float>();
    job.output_stride = out.stride_in(kFloat);
    job.rows = out.rows;
    context.kernels.gather_rows(job, context.worker);
  }
  return {};
}

Status step_convert(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_RETURN_IF_ERROR(convert(part.inputs[0], part.outputs[0], context));
  }
  return {};
}

}  // namespace tenon::cpu
