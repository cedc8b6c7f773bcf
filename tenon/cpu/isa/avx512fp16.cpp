#include "tenon/cpu/simd/avx512fp16.h"

#include "tenon/cpu/isa/isa.h"
#include "tenon/cpu/kernels/attention.h"

namespace tenon::cpu {

constexpr AttentionKernels kAvx512Fp16Attention = {
    &Attention<Avx512Fp16, SumOrder::kFastest>::workspace_bytes,
    &Attention<Avx512Fp16, SumOrder::kFastest>::run};

}  // namespace tenon::cpu
