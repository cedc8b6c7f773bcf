#include "tenon/cpu/simd/avx2.h"

#include "tenon/cpu/isa/isa.h"
#include "tenon/cpu/kernels/table.h"

namespace tenon::cpu {

constexpr KernelTable kAvx2Kernels = kernel_table<Avx2, SumOrder::kFastest>();
constexpr KernelTable kAvx2FixedKernels = kernel_table<Avx2, SumOrder::kFixed>();

}  // namespace tenon::cpu
