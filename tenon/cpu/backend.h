// The CPU runtime: the file's own blocks, our kernels for the best instruction set that the machine has.
#pragma once

#include "tenon/base/result.h"
#include "tenon/cpu/kernel_table.h"
#include "tenon/runtime/backend.h"

namespace tenon::cpu {

// `threads` workers, the calling thread among them; at least 1. Errors: no supported instruction set, or
// TENON_CPU_ISA names one that is not there.
Result<std::shared_ptr<runtime::Backend>> make_backend(int threads, SumOrder order = SumOrder::kFastest);

}  // namespace tenon::cpu
