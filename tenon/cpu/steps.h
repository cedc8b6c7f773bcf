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

// The function of a kernel id, or null.
StepFunction find_step(std::string_view id);

Status step_matmul(const runtime::BoundStep&, const StepContext&);
Status step_matmul_residual(const runtime::BoundStep&, const StepContext&);
Status step_matmul_bias_residual(const runtime::BoundStep&, const StepContext&);
Status step_matmul_swiglu(const runtime::BoundStep&, const StepContext&);
Status step_attention(const runtime::BoundStep&, const StepContext&);
Status step_rope_table(const runtime::BoundStep&, const StepContext&);
Status step_rope(const runtime::BoundStep&, const StepContext&);
Status step_stateless_kv(const runtime::BoundStep&, const StepContext&);
Status step_scatter_rows(const runtime::BoundStep&, const StepContext&);
Status step_rms_norm(const runtime::BoundStep&, const StepContext&);
Status step_add(const runtime::BoundStep&, const StepContext&);
Status step_multiply(const runtime::BoundStep&, const StepContext&);
Status step_tanh(const runtime::BoundStep&, const StepContext&);
Status step_geglu(const runtime::BoundStep&, const StepContext&);
Status step_swiglu(const runtime::BoundStep&, const StepContext&);
Status step_gather_rows(const runtime::BoundStep&, const StepContext&);
Status step_convert(const runtime::BoundStep&, const StepContext&);

}  // namespace tenon::cpu
