#include "tenon/cpu/simd/avx512.h"

#include "tenon/cpu/isa/isa.h"
#include "tenon/cpu/kernels/table.h"

namespace tenon::cpu {

constexpr KernelTable kAvx512Kernels = kernel_table<Avx512, SumOrder::kFastest>();
constexpr KernelTable kAvx512FixedKernels = kernel_table<Avx512, SumOrder::kFixed>();

}  // namespace tenon::cpu
