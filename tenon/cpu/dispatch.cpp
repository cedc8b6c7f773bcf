#include "tenon/cpu/dispatch.h"

#include <cpuid.h>

#include <array>
#include <string>

#include "tenon/base/environment.h"
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

struct Known {
  const KernelTable* fastest;
  const KernelTable* fixed;
  bool (*supported)();
};
// Best first.
constexpr Known kKnown[] = {{&kAvx512Kernels, &kAvx512FixedKernels, &has_avx512},
                            {&kAvx2Kernels, &kAvx2FixedKernels, &has_avx2}};

struct Supported {
  std::array<const KernelTable*, std::size(kKnown)> kernels{};
  size_t count = 0;
};

Supported find_supported(SumOrder order) {
  __builtin_cpu_init();
  Supported out;
  for (const Known& known : kKnown) {
    if (known.supported()) out.kernels[out.count++] = order == SumOrder::kFixed ? known.fixed : known.fastest;
  }
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
