#include <algorithm>
#include <array>
#include <cstring>

#include "tenon/cpu/slabs.h"
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
    const std::array<TensorRef, 2> tensors = {part.outputs[0], part.inputs[0]};
    TENON_RETURN_IF_ERROR(for_each_slab(tensors, [&](const std::array<RowsView, 2>& rows) {
      const auto& [out, x] = rows;
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
    }));
  }
  return {};
}

Status step_softmax(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    TENON_ASSIGN(RowsView x, rows_of(part.inputs[0]));
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    context.kernels.softmax({.x = x.as<float>(),
                             .x_stride = x.stride_in(kFloat),
                             .output = out.as<float>(),
                             .output_stride = out.stride_in(kFloat),
                             .rows = out.rows,
                             .width = out.width},
                            context.worker);
  }
  return {};
}

// Inputs table [.., V, F] with leading axes of 1, ids [.., R], whose rows may lie apart.
Status step_gather_rows(const runtime::BoundStep& step, const StepContext& context) {
  for (const runtime::BoundPart& part : step.parts) {
    const TensorRef& table = part.inputs[0];
    const auto rows_axis = static_cast<size_t>(table.rank - 2);
    TENON_ASSIGN(RowsView out, rows_of(part.outputs[0]));
    TENON_ASSIGN(const IdRows ids, id_rows_of(part.inputs[1]));
    for (int64_t i = 0; i < out.rows; ++i) {
      const int64_t id = ids.at(i / ids.width, i % ids.width);
      TENON_RETURN_IF_ERROR(check_range(step.step->name, &id, 1, table.extent[rows_axis]));
    }
    GatherRowsJob job;
    job.table = table.data;
    job.type = table.element;
    job.row_bytes = table.stride[rows_axis];
    job.table_rows = table.extent[rows_axis];
    job.width = table.extent[rows_axis + 1];
    job.id_type = ids.type;
    job.output_stride = out.stride_in(kFloat);
    const int64_t at_once = ids.is_packed() ? ids.rows : 1;
    job.rows = at_once * ids.width;
    for (int64_t row = 0; row < ids.rows; row += at_once) {
      job.ids = ids.data + row * ids.stride;
      job.output = out.as<float>() + row * ids.width * job.output_stride;
      context.kernels.gather_rows(job, context.worker);
    }
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
