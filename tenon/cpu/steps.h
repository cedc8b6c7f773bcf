// From a plan's bound steps to kernel jobs: one function for each kernel id.
#pragma once

#include <string_view>

#include "tenon/cpu/kernel_table.h"
#include "tenon/runtime/backend.h"

namespace tenon::cpu {

// What all steps of a run share.
struct StepContext {
  const KernelTable& kernels;
  const Worker& worker;
  runtime::Traffic* traffic = nullptr;  // where somebody counts
  std::byte* own_scratch = nullptr;     // this worker's for the whole run, where workers help each other

  // The whole step's bytes, told by every worker and counted once.
  void count_read(int64_t bytes) const {
    if (traffic && worker.rank == 0) traffic->kv_bytes_read += bytes;
  }
  void count_written(int64_t bytes) const {
    if (traffic && worker.rank == 0) traffic->kv_bytes_written += bytes;
  }
};

// Entered by all workers together. An error is one that every worker sees alike (an index out of range, a
// view that the kernel cannot walk), so that all of them leave at the same place.
using StepFunction = Status (*)(const runtime::BoundStep&, const StepContext&);

// Scratch of a step that multiplies the rows of `tokens`, each by `used` of the matrices [experts, rows,
// depth].
struct ExpertsExtents {
  int64_t tokens = 0, used = 0, experts = 0, rows = 0, depth = 0;
};
size_t experts_scratch_bytes(const ExpertsExtents& extents, const KernelTable& kernels, int workers);
// Of a step that sorts rows of `width` numbers.
size_t topk_scratch_bytes(int64_t width, int workers);

// What step_paged_attention takes of its scratch beside the kernel's: the places of this step's rows.
size_t paged_places_bytes(int64_t tokens, int64_t heads);

// How the workers of a step that is done for one token help one that has lost its core (Worker::helps).
enum class Help : uint8_t {
  kNone,    // it has barriers inside: everyone is needed
  kShares,  // it is short, and each worker's share can be done by another in its place
  kTurns,   // its function takes turns
};
struct StepKernel {
  StepFunction function = nullptr;
  Help help = Help::kNone;
};
// The kernel of an id; without a function where there is none.
StepKernel find_step(std::string_view id);

Status step_matmul(const runtime::BoundStep&, const StepContext&);
Status step_matmul_residual(const runtime::BoundStep&, const StepContext&);
Status step_matmul_bias_residual(const runtime::BoundStep&, const StepContext&);
Status step_matmul_swiglu(const runtime::BoundStep&, const StepContext&);
Status step_paged_attention(const runtime::BoundStep&, const StepContext&);
Status step_attention(const runtime::BoundStep&, const StepContext&);
Status step_rope_table(const runtime::BoundStep&, const StepContext&);
Status step_rope(const runtime::BoundStep&, const StepContext&);
Status step_stateless_kv(const runtime::BoundStep&, const StepContext&);
Status step_scatter_rows(const runtime::BoundStep&, const StepContext&);
Status step_rms_norm(const runtime::BoundStep&, const StepContext&);
Status step_add(const runtime::BoundStep&, const StepContext&);
Status step_multiply(const runtime::BoundStep&, const StepContext&);
Status step_gelu(const runtime::BoundStep&, const StepContext&);
Status step_tanh(const runtime::BoundStep&, const StepContext&);
Status step_geglu(const runtime::BoundStep&, const StepContext&);
Status step_matmul_experts(const runtime::BoundStep&, const StepContext&);
Status step_matmul_experts_swiglu(const runtime::BoundStep&, const StepContext&);
Status step_divide(const runtime::BoundStep&, const StepContext&);
Status step_topk(const runtime::BoundStep&, const StepContext&);
Status step_softmax(const runtime::BoundStep&, const StepContext&);
Status step_swiglu_oai(const runtime::BoundStep&, const StepContext&);
Status step_swiglu(const runtime::BoundStep&, const StepContext&);
Status step_gather_rows(const runtime::BoundStep&, const StepContext&);
Status step_convert(const runtime::BoundStep&, const StepContext&);
Status step_copy(const runtime::BoundStep&, const StepContext&);
Status step_concat(const runtime::BoundStep&, const StepContext&);
Status step_ssm_conv(const runtime::BoundStep&, const StepContext&);
Status step_ssm_scan(const runtime::BoundStep&, const StepContext&);
Status step_gated_delta_net(const runtime::BoundStep&, const StepContext&);
Status step_sigmoid(const runtime::BoundStep&, const StepContext&);
Status step_silu(const runtime::BoundStep&, const StepContext&);
Status step_softplus(const runtime::BoundStep&, const StepContext&);

}  // namespace tenon::cpu
