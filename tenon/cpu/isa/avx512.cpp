#include "tenon/cpu/simd/avx512.h"

#include "tenon/cpu/isa/isa.h"
#include "tenon/cpu/kernels/table.h"

namespace tenon::cpu {

constexpr KernelTable kAvx512Kernels = kernel_table<Avx512>();

}  // namespace tenon::cpu
