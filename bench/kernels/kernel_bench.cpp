// kernel_bench GGML_FOLDER [THREADS [COPIES [TYPE]]]: our products beside ggml's, 2048 x 2048, one token
// (GEMV) and 512 (GEMM), for every weight type and instruction set. Ours and ggml's take turns within one
// run; medians and fastest runs are printed as a Markdown table. With COPIES > 1 the one-token products walk
// over so many copies of the weight, which then come from memory rather than from a cache.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/kernels/ggml_matmul.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/quant/block_format.h"

namespace tenon::bench {
namespace {

constexpr int64_t kRows = 2048, kDepth = 2048;
constexpr int kRounds = 11;
constexpr ElementType kTypes[] = {
    ElementType::kQ4_0, ElementType::kQ4_1,  ElementType::kQ5_0,   ElementType::kQ5_1,   ElementType::kQ8_0,
    ElementType::kQ2_0, ElementType::kMXFP4, ElementType::kIQ4_NL, ElementType::kQ2_K,   ElementType::kQ3_K,
    ElementType::kQ4_K, ElementType::kQ5_K,  ElementType::kQ6_K,   ElementType::kIQ4_XS, ElementType::kF32,
    ElementType::kF16,  ElementType::kBF16};

struct Times {
  std::vector<double> seconds;
  double median() {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2];
  }
  double fastest() { return *std::min_element(seconds.begin(), seconds.end()); }
};

// The clock of the wall, or that of this thread, which stands still while others have the core.
double now(bool own_time) {
  timespec time;
  clock_gettime(own_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Seconds of one call, after untimed ones in which the scheduler gives each thread that was asleep a core of
// its own.
template <class Call>
double time_of(const Call& call, int calls, bool own_time) {
  constexpr double kWarmSeconds = 0.02;
  for (const double start = now(false); now(false) - start < kWarmSeconds;) call();
  const double begin = now(own_time);
  for (int i = 0; i < calls; ++i) call();
  return (now(own_time) - begin) / calls;
}

// The other side's threads spin for a while after their last call: ours for a tenth of a millisecond, ggml's
// until they are told to pause.
void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

std::vector<float> random_values(int64_t count) {
  std::mt19937 random(1);
  std::normal_distribution<float> bell;
  std::vector<float> out(static_cast<size_t>(count));
  for (float& x : out) x = bell(random);
  return out;
}

class OurMatmul {
 public:
  OurMatmul(const cpu::KernelTable& kernels, ElementType type, const std::vector<float>& x, int64_t tokens,
            int threads)
      : kernels_(kernels), y_(static_cast<size_t>(tokens * kRows)) {
    const size_t bytes = kernels.matmul_workspace_bytes(tokens, kDepth, threads);
    workspace_.resize(bytes + 64);
    segment_.type = type;
    segment_.rows = kRows;
    segment_.row_bytes = static_cast<int64_t>(bytes_for(type, kDepth));
    segment_.output = y_.data();
    segment_.output_stride = kRows;
    job_.x = x.data();
    job_.x_stride = kDepth;
    job_.tokens = tokens;
    job_.depth = kDepth;
    job_.workspace = workspace_.data() + (64 - reinterpret_cast<uintptr_t>(workspace_.data()) % 64) % 64;
  }
  void run(ThreadPool& pool, const std::byte* weight) {
    segment_.weight = weight;
    job_.segments = {&segment_, 1};
    pool.run([&](const Worker& worker) { kernels_.matmul(job_, worker); });
  }

 private:
  const cpu::KernelTable& kernels_;
  std::vector<float> y_;
  std::vector<std::byte> workspace_;
  cpu::MatmulSegment segment_;
  cpu::MatmulJob job_;
};

void compare(const Ggml& ggml, ThreadPool& pool, ElementType type, int64_t tokens, int copies) {
  const int64_t bytes = static_cast<int64_t>(bytes_for(type, kDepth)) * kRows;
  std::vector<std::byte> weight(static_cast<size_t>(bytes * copies));
  const std::vector<float> values = random_values(kRows * kDepth), x = random_values(tokens * kDepth);
  quant::block_format(type).encode_row(values.data(), weight.data(), kRows * kDepth);
  std::vector<std::unique_ptr<GgmlMatmul>> theirs;
  for (int i = 0; i < copies; ++i) {
    if (i > 0) std::copy_n(weight.begin(), bytes, weight.begin() + i * bytes);
    theirs.push_back(
        std::make_unique<GgmlMatmul>(ggml, type, kRows, kDepth, tokens, weight.data(), x.data()));
  }
  const auto kernels = cpu::supported_kernels();
  std::vector<OurMatmul> ours;
  for (const cpu::KernelTable* table : kernels) ours.emplace_back(*table, type, x, tokens, pool.size());

  const int calls = tokens == 1 ? std::max(30, copies) : 1;
  const bool own_time = pool.size() == 1;
  Times ggml_times;
  std::vector<Times> our_times(kernels.size());
  for (int round = 0; round <= kRounds; ++round) {  // the first one warms up
    const auto record = [&](Times& times, double seconds) {
      if (round > 0) times.seconds.push_back(seconds);
    };
    int next = 0;
    settle();
    ggml.resume();
    record(ggml_times,
           time_of([&] { theirs[static_cast<size_t>(next++ % copies)]->run(); }, calls, own_time));
    ggml.pause();
    for (size_t i = 0; i < kernels.size(); ++i) {
      settle();
      record(our_times[i],
             time_of([&] { ours[i].run(pool, weight.data() + next++ % copies * bytes); }, calls, own_time));
    }
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    const double products = static_cast<double>(tokens * kRows * kDepth) * 1e-9;
    std::printf("| %s | %lld | %s | %.1f | %.1f | %.2f | %.2f | %.1f | %.1f |\n",
                std::string(name(type)).c_str(), static_cast<long long>(tokens),
                std::string(kernels[i]->isa).c_str(), our_times[i].median() * 1e6, ggml_times.median() * 1e6,
                ggml_times.median() / our_times[i].median(), ggml_times.fastest() / our_times[i].fastest(),
                products / our_times[i].fastest(),
                static_cast<double>(bytes) * 1e-9 / our_times[i].fastest());
    std::fflush(stdout);
  }
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: kernel_bench GGML_FOLDER [THREADS [COPIES [TYPE]]]\n");
    return 2;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2, copies = argc > 3 ? std::atoi(argv[3]) : 1;
  const Ggml ggml(argv[1], threads);
  ThreadPool pool(threads);
  std::printf(
      "| weight | tokens | ours | µs | ggml µs | speed / ggml | of the fastest runs | GMAC/s | weight GB/s "
      "|\n");
  std::printf("|---|--:|---|--:|--:|--:|--:|--:|--:|\n");
  for (const ElementType type : kTypes) {
    if (argc > 4 && name(type) != argv[4]) continue;
    compare(ggml, pool, type, 1, copies);
    if (copies == 1) compare(ggml, pool, type, 512, 1);
  }
  return 0;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  try {
    return tenon::bench::main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_bench: %s\n", error.what());
    return 1;
  }
}
