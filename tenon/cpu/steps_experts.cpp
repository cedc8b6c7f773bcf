// Products by chosen experts, put together from matmul: one token's rows one after the other; of more tokens
// the rows of each expert, packed.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "tenon/cpu/rows_view.h"
#include "tenon/cpu/steps.h"

namespace tenon::cpu {

namespace {

constexpr int64_t kFloat = sizeof(float);

struct Scratch {
  int32_t* first;  // [experts + 1]: where the slots of each expert begin in `slots`
  int32_t* slots;  // [tokens * used], those of one expert beside each other; slot = token * used + place
  float* x;        // [tokens, depth], packed rows of one expert
  float* y;        // [tokens, rows]
  std::byte* workspace;
  size_t bytes;
};

Scratch lay_out(const ExpertsExtents& extents, std::byte* base, const KernelTable& kernels, int workers) {
  size_t used = 0;
  const auto take = [&](int64_t bytes) {
    std::byte* const out = base + used;
    used += (static_cast<size_t>(bytes) + 63) / 64 * 64;
    return out;
  };
  constexpr int64_t kInt = sizeof(int32_t);
  Scratch out{};
  out.first = reinterpret_cast<int32_t*>(take((extents.experts + 1) * kInt));
  out.slots = reinterpret_cast<int32_t*>(take(extents.tokens * extents.used * kInt));
  out.x = reinterpret_cast<float*>(take(extents.tokens * extents.depth * kFloat));
  out.y = reinterpret_cast<float*>(take(extents.tokens * extents.rows * kFloat));
  out.workspace =
      take(static_cast<int64_t>(kernels.matmul_workspace_bytes(extents.tokens, extents.depth, workers)));
  out.bytes = used;
  return out;
}

// One step's operands: of one weight, or of gate and up.
class ExpertProducts {
 public:
  static Result<ExpertProducts> of(const TensorRef& x, std::span<const TensorRef> weights,
                                   const TensorRef& ids, const TensorRef& output) {
    ExpertProducts out;
    TENON_ASSIGN(out.x_, rows_of(x));
    TENON_ASSIGN(out.ids_, id_rows_of(ids));
    TENON_ASSIGN(out.output_, rows_of(output));
    out.weights_ = weights;
    const TensorRef& w = weights[0];
    out.extents_ = {out.ids_.rows, out.ids_.width, w.extent[0], w.extent[1], w.extent[2]};
    out.rows_of_token_ = out.ids_.rows == 0 ? 0 : out.x_.rows / out.ids_.rows;
    return out;
  }

  Status check_ids(std::string_view step) const {
    for (int64_t slot = 0; slot < extents_.tokens * extents_.used; ++slot) {
      const int64_t id = expert_of(slot);
      if (id >= 0 && id < extents_.experts) continue;
      return Error{ErrorCode::kInvalidArgument, std::string(step),
                   "an expert from 0 to " + std::to_string(extents_.experts - 1), std::to_string(id), ""};
    }
    return {};
  }

  void multiply(const StepContext& context, std::byte* memory) const {
    const Scratch scratch = lay_out(extents_, memory, context.kernels, context.worker.size);
    if (extents_.tokens == 1)
      multiply_one_token(context, scratch);
    else
      multiply_by_expert(context, scratch);
  }

 private:
  int64_t expert_of(int64_t slot) const { return ids_.at(slot / extents_.used, slot % extents_.used); }
  const float* x_of(int64_t slot) const {
    const int64_t token = slot / extents_.used, place = rows_of_token_ == 1 ? 0 : slot % extents_.used;
    return reinterpret_cast<const float*>(x_.data + (token * rows_of_token_ + place) * x_.stride);
  }
  float* output_of(int64_t slot) const {
    return reinterpret_cast<float*>(output_.data + slot * output_.stride);
  }

  void matmul(int64_t expert, const float* x, int64_t tokens, float* output, const StepContext& context,
              const Scratch& scratch) const {
    std::array<MatmulSegment, 2> segments;
    for (size_t i = 0; i < weights_.size(); ++i) {
      const TensorRef& weight = weights_[i];
      segments[i].weight = weight.data + expert * weight.stride[0];
      segments[i].type = weight.element;
      segments[i].rows = extents_.rows;
      segments[i].row_bytes = weight.stride[1];
      segments[i].output = output;
      segments[i].output_stride = extents_.rows;
    }
    MatmulJob job;
    job.segments = {segments.data(), weights_.size()};
    job.x = x;
    job.x_stride = extents_.depth;
    job.tokens = tokens;
    job.depth = extents_.depth;
    job.swiglu = weights_.size() == 2;
    job.workspace = scratch.workspace;
    context.kernels.matmul(job, context.worker);
  }

  // A product of one token uses no memory that workers share, so that none waits between them.
  void multiply_one_token(const StepContext& context, const Scratch& scratch) const {
    for (int64_t slot = 0; slot < extents_.used; ++slot) {
      matmul(expert_of(slot), x_of(slot), 1, output_of(slot), context, scratch);
    }
  }

  void sort_slots(const Scratch& scratch) const {
    const int64_t count = extents_.tokens * extents_.used;
    std::memset(scratch.first, 0, static_cast<size_t>(extents_.experts + 1) * sizeof(int32_t));
    for (int64_t slot = 0; slot < count; ++slot) ++scratch.first[expert_of(slot) + 1];
    for (int64_t expert = 0; expert < extents_.experts; ++expert)
      scratch.first[expert + 1] += scratch.first[expert];
    // Filled from the front of each expert, whose begin moves to its end; then all begins move up by one.
    for (int64_t slot = 0; slot < count; ++slot)
      scratch.slots[scratch.first[expert_of(slot)]++] = static_cast<int32_t>(slot);
    for (int64_t expert = extents_.experts; expert > 0; --expert)
      scratch.first[expert] = scratch.first[expert - 1];
    scratch.first[0] = 0;
  }

  void multiply_by_expert(const StepContext& context, const Scratch& scratch) const {
    const Worker& worker = context.worker;
    if (worker.rank == 0) sort_slots(scratch);
    worker.barrier();
    const auto x_bytes = static_cast<size_t>(extents_.depth * kFloat);
    const auto y_bytes = static_cast<size_t>(extents_.rows * kFloat);
    for (int64_t expert = 0; expert < extents_.experts; ++expert) {
      const int64_t end = scratch.first[expert + 1];
      // An expert that a token names twice may have more slots than there are tokens.
      for (int64_t begin = scratch.first[expert]; begin < end; begin += extents_.tokens) {
        const int64_t count = std::min(extents_.tokens, end - begin);
        const int32_t* const slots = scratch.slots + begin;
        const Worker::Range share = worker.share(count);
        for (int64_t i = share.begin; i < share.end; ++i)
          std::memcpy(scratch.x + i * extents_.depth, x_of(slots[i]), x_bytes);
        worker.barrier();
        matmul(expert, scratch.x, count, scratch.y, context, scratch);
        worker.barrier();
        for (int64_t i = share.begin; i < share.end; ++i)
          std::memcpy(output_of(slots[i]), scratch.y + i * extents_.rows, y_bytes);
      }
    }
  }

  RowsView x_, output_;
  IdRows ids_;
  std::span<const TensorRef> weights_;
  ExpertsExtents extents_;
  int64_t rows_of_token_ = 0;
};

Status multiply(const runtime::BoundStep& step, std::span<const TensorRef> weights,
                const StepContext& context) {
  const runtime::BoundPart& part = step.parts[0];
  TENON_ASSIGN(const ExpertProducts products,
               ExpertProducts::of(part.inputs[0], weights, part.inputs[2], part.outputs[0]));
  TENON_RETURN_IF_ERROR(products.check_ids(step.step->name));
  products.multiply(context, step.scratch);
  return {};
}

}  // namespace

size_t experts_scratch_bytes(const ExpertsExtents& extents, const KernelTable& kernels, int workers) {
  return lay_out(extents, nullptr, kernels, workers).bytes;
}

// Inputs x, weights, ids.
Status step_matmul_experts(const runtime::BoundStep& step, const StepContext& context) {
  return multiply(step, std::span(&step.parts[0].inputs[1], 1), context);
}

// Inputs x, gate, ids, up.
Status step_matmul_experts_swiglu(const runtime::BoundStep& step, const StepContext& context) {
  const std::array weights = {step.parts[0].inputs[1], step.parts[0].inputs[3]};
  return multiply(step, weights, context);
}

}  // namespace tenon::cpu
