#include "tenon/cpu/half_attention.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <vector>

#include "tenon/base/thread_pool.h"
#include "tenon/cpu/isa/isa.h"

namespace tenon::cpu {

namespace {

KernelTable with_half_attention(KernelTable table) {
  table.isa = "avx512fp16";
  if (table.order == SumOrder::kFastest) {
    table.attention_workspace_bytes = kAvx512Fp16Attention.workspace_bytes;
    table.attention = kAvx512Fp16Attention.run;
  }
  return table;
}

// A tile of 32 tokens by three heads against 256 keys, all zeros: the time does not depend on the numbers.
struct Trial {
  static constexpr int64_t kTokens = 32, kKeys = 256, kHeads = 3, kSize = 64;
  std::vector<float> q = std::vector<float>(kTokens * kHeads * kSize), output = q;
  std::vector<uint16_t> cached = std::vector<uint16_t>(kKeys * kSize);

  // Seconds that the faster of some runs takes.
  double seconds(const KernelTable& kernels) {
    constexpr std::align_val_t kLine{64};
    const size_t bytes = kernels.attention_workspace_bytes(kTokens, kKeys, kHeads, 1, kSize, 1);
    const auto workspace = std::unique_ptr<std::byte, void (*)(std::byte*)>(
        static_cast<std::byte*>(::operator new(bytes, kLine)),
        [](std::byte* p) { ::operator delete(p, kLine); });
    AttentionJob job;
    job.q = reinterpret_cast<const std::byte*>(q.data());
    job.k = job.v = reinterpret_cast<const std::byte*>(cached.data());
    job.output = output.data();
    job.q_head_stride = job.output_head_stride = kSize * int64_t{sizeof(float)};
    job.q_token_stride = job.output_token_stride = kHeads * job.q_head_stride;
    job.k_token_stride = job.v_token_stride = kSize * int64_t{sizeof(uint16_t)};
    job.tokens = kTokens;
    job.keys = kKeys;
    job.heads = kHeads;
    job.kv_heads = 1;
    job.head_size = kSize;
    job.half_sums = true;
    job.workspace = workspace.get();
    double least = 1.0;
    for (int run = 0; run < 4; ++run) {
      const auto begin = std::chrono::steady_clock::now();
      kernels.attention(job, Worker{});
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      least = std::min(least, taken.count());
    }
    return least;
  }
};

}  // namespace

const KernelTable& half_attention_table(SumOrder order) {
  static const KernelTable fastest = with_half_attention(kAvx512Kernels);
  static const KernelTable fixed = with_half_attention(kAvx512FixedKernels);
  return order == SumOrder::kFixed ? fixed : fastest;
}

bool half_attention_is_faster() {
  Trial trial;
  return trial.seconds(half_attention_table(SumOrder::kFastest)) < trial.seconds(kAvx512Kernels);
}

}  // namespace tenon::cpu
