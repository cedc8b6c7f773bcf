// Which instruction set's kernels run here.
#pragma once

#include <span>
#include <string_view>

#include "tenon/base/result.h"
#include "tenon/cpu/kernel_table.h"

namespace tenon::cpu {

// The tables that this build has and this CPU can run, best first. Empty on a CPU without AVX2, FMA and F16C.
std::span<const KernelTable* const> supported_kernels(SumOrder order = SumOrder::kFastest);

// The best table, or the one that TENON_CPU_ISA names. An error when that name is unknown or not supported
// here, and when nothing is supported.
Result<const KernelTable*> select_kernels(SumOrder order = SumOrder::kFastest);

}  // namespace tenon::cpu
