#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"
#include "tenon/op/paged_attention.h"

namespace tenon::cpu {

namespace {

// Where each head's rows of this step's tokens go, among all rows of a cache: [G, T].
void find_places(const op::PagedTables& tables, int64_t heads, int64_t tokens, int64_t* places,
                 const Worker& worker) {
  for (int64_t s = 0; s < tables.sequences; ++s) {
    const Worker::Range share = worker.share(tables.tokens_of(s));
    for (int64_t t = share.begin; t < share.end; ++t) {
      const int64_t position = tables.past_lengths[s] + t;
      const int64_t first = tables.block_of(s, position) * heads, row = position % tables.block_size;
      for (int64_t head = 0; head < heads; ++head) {
        places[head * tokens + tables.sequence_begins[s] + t] = (first + head) * tables.block_size + row;
      }
    }
  }
}

// rows [T, G*D], which may lie apart, into cache [blocks, G, S, D].
void write_rows(const TensorRef& rows, const TensorRef& cache, const int64_t* places,
                const StepContext& context) {
  const int64_t size = cache.extent[3], tokens = rows.extent[0];
  const int64_t bytes = info(cache.element).block_bytes;
  ConvertJob job;
  job.input_type = rows.element;
  job.input_stride = rows.stride[0];
  job.output = cache.data;
  job.output_type = cache.element;
  job.output_stride = size * bytes;
  job.rows = tokens;
  job.width = size;
  for (int64_t head = 0; head < cache.extent[1]; ++head) {
    job.input = rows.data + head * size * info(rows.element).block_bytes;
    job.destination = places + head * tokens;
    context.kernels.convert(job, context.worker);
  }
  context.count_written(tokens * cache.extent[1] * size * bytes);
}

AttentionJob job_of(const runtime::BoundPart& part, const op::PagedAttentionAttributes& attributes) {
  const TensorRef &q = part.inputs[op::kPagedQ], &keys = part.inputs[op::kPagedKeyCache],
                  &values = part.inputs[op::kPagedValueCache], &out = part.outputs[0];
  AttentionJob job;
  job.kv_heads = keys.extent[1];
  job.head_size = keys.extent[3];
  job.heads = q.extent[1] / job.head_size;
  job.q_type = q.element;
  job.q_token_stride = q.stride[0];
  job.q_head_stride = job.head_size * info(q.element).block_bytes;
  job.k = keys.data;
  job.k_type = keys.element;
  job.k_block_stride = keys.stride[0];
  job.k_head_stride = keys.stride[1];
  job.k_token_stride = keys.stride[2];
  job.v = values.data;
  job.v_type = values.element;
  job.v_block_stride = values.stride[0];
  job.v_head_stride = values.stride[1];
  job.v_token_stride = values.stride[2];
  job.block_size = keys.extent[2];
  job.output_token_stride = out.stride[0];
  job.output_head_stride = job.head_size * info(out.element).block_bytes;
  job.scale = static_cast<float>(attributes.scale);
  job.mask = AttentionMask::kCausal;
  job.window = attributes.window;
  return job;
}

}  // namespace

size_t paged_places_bytes(int64_t tokens, int64_t heads) {
  constexpr size_t kAlignment = 64;
  return (static_cast<size_t>(tokens * heads) * sizeof(int64_t) + kAlignment - 1) / kAlignment * kAlignment;
}

// PagedAttention's inputs; outputs: result [T, H*D] and both caches. Scratch: places [G, T], then the
// kernel's.
Status step_paged_attention(const runtime::BoundStep& step, const StepContext& context) {
  const runtime::BoundPart& part = step.parts[0];
  const auto& attributes = *step.step->find_attributes<op::PagedAttentionAttributes>();
  TENON_ASSIGN(const op::PagedTables tables, op::paged_tables(part.inputs));
  const TensorRef& q = part.inputs[op::kPagedQ];
  for (const int input : {op::kPagedQ, op::kPagedK, op::kPagedV}) {
    const TensorRef& rows = part.inputs[static_cast<size_t>(input)];
    if (rows.data && !last_axis_packed(rows)) return strides_error();
  }
  AttentionJob job = job_of(part, attributes);
  if (part.inputs.size() > op::kPagedSinks) job.sinks = part.inputs[op::kPagedSinks].as<float>();

  auto* const places = reinterpret_cast<int64_t*>(step.scratch);
  const auto write = [&](const StepContext& as) {
    write_rows(part.inputs[op::kPagedK], part.inputs[op::kPagedKeyCache], places, as);
    write_rows(part.inputs[op::kPagedV], part.inputs[op::kPagedValueCache], places, as);
  };
  if (attributes.writes && context.worker.helps) {
    context.worker.claim_turns(1, [&](int64_t) {
      const Worker alone;
      find_places(tables, job.kv_heads, q.extent[0], places, alone);
      write({context.kernels, alone});
    });
  } else if (attributes.writes) {
    find_places(tables, job.kv_heads, q.extent[0], places, context.worker);
    context.worker.barrier();
    write(context);
    context.worker.barrier();
  }
  job.workspace = step.scratch + paged_places_bytes(q.extent[0], job.kv_heads);
  job.own_workspace = context.own_scratch;
  for (int64_t s = 0; s < tables.sequences; ++s) {
    job.tokens = tables.tokens_of(s);
    if (job.tokens == 0) continue;
    if (s > 0 && !context.worker.helps)
      context.worker.barrier();  // the workspace is the last sequence's until all have left it
    const int64_t first = tables.sequence_begins[s];
    job.first_position = tables.past_lengths[s];
    job.keys = job.first_position + job.tokens;
    job.half_sums = job.keys >= kHalfSumKeys;
    job.q = q.data + first * job.q_token_stride;
    job.output = reinterpret_cast<float*>(part.outputs[0].data + first * job.output_token_stride);
    job.blocks = tables.block_indices + tables.block_begins[s];
    context.kernels.attention(job, context.worker);
    context.count_read(job.keys * job.kv_heads * job.head_size *
                       (info(job.k_type).block_bytes + info(job.v_type).block_bytes));
  }
  return {};
}

}  // namespace tenon::cpu
