// The kernel tables that this build has. Only the files of this folder are compiled for more than the
// baseline CPU.
#pragma once

#include "tenon/cpu/kernel_table.h"

namespace tenon::cpu {

extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
// The same with SumOrder::kFixed.
extern const KernelTable kAvx2FixedKernels;
extern const KernelTable kAvx512FixedKernels;

// avx512's attention, with sums of f16 where they are allowed; for SumOrder::kFastest.
struct AttentionKernels {
  decltype(KernelTable::attention_workspace_bytes) workspace_bytes;
  decltype(KernelTable::attention) run;
};
extern const AttentionKernels kAvx512Fp16Attention;

}  // namespace tenon::cpu
