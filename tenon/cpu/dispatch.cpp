#include "tenon/cpu/dispatch.h"

#include <cpuid.h>

#include <array>
#include <string>

#include "tenon/base/environment.h"
#include "tenon/cpu/half_attention.h"
#include "tenon/cpu/isa/isa.h"

namespace tenon::cpu {

namespace {

// The builtins also ask whether the operating system saves the registers. They do not know F16C.
bool has_avx2() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vnni");
}

bool has_avx512fp16() {
  constexpr unsigned kFp16 = 1u << 23;  // of leaf 7's edx
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return has_avx512() && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & kFp16) != 0;
}

struct Supported {
  std::array<const KernelTable*, 3> kernels{};
  size_t count = 0;

  void add(const KernelTable& table) { kernels[count++] = &table; }
};

Supported find_supported(SumOrder order) {
  __builtin_cpu_init();
  static const bool half = has_avx512fp16(), half_first = half && half_attention_is_faster();
  const bool fixed = order == SumOrder::kFixed;
  Supported out;
  if (half_first) out.add(half_attention_table(order));
  if (has_avx512()) out.add(fixed ? kAvx512FixedKernels : kAvx512Kernels);
  if (half && !half_first) out.add(half_attention_table(order));
  if (has_avx2()) out.add(fixed ? kAvx2FixedKernels : kAvx2Kernels);
  return out;
}

}  // namespace

std::span<const KernelTable* const> supported_kernels(SumOrder order) {
  static const Supported fastest = find_supported(SumOrder::kFastest);
  static const Supported fixed = find_supported(SumOrder::kFixed);
  const Supported& supported = order == SumOrder::kFixed ? fixed : fastest;
  return {supported.kernels.data(), supported.count};
}

Result<const KernelTable*> select_kernels(SumOrder order) {
  const std::span<const KernelTable* const> supported = supported_kernels(order);
  if (supported.empty()) {
    return Error{ErrorCode::kUnsupported, "CPU", "AVX2, FMA and F16C", "a CPU without them", ""};
  }
  const std::optional<std::string> forced = environment("TENON_CPU_ISA");
  if (!forced || forced->empty()) return supported.front();
  std::string names;
  for (const KernelTable* kernels : supported) {
    if (kernels->isa == *forced) return kernels;
    names += (names.empty() ? "" : " or ") + std::string(kernels->isa);
  }
  return Error{ErrorCode::kUnsupported, "TENON_CPU_ISA", names + ", which this CPU has", "'" + *forced + "'",
               "unset it to let the best one be chosen"};
}

}  // namespace tenon::cpu
