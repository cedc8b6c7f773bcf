#include "cli/read_probe.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>

#include "tenon/base/thread_pool.h"

namespace tenon::cli {

namespace {

constexpr size_t kBytes = size_t{1} << 30;
constexpr int64_t kGrain = 4096;  // words

// Several sums, so that no addition waits for the one before it.
uint64_t sum(std::span<const uint64_t> words) {
  constexpr size_t kSums = 32;
  uint64_t sums[kSums] = {};
  for (size_t i = 0; i + kSums <= words.size(); i += kSums) {
    for (size_t k = 0; k < kSums; ++k) sums[k] += words[i + k];
  }
  uint64_t total = 0;
  for (const uint64_t one : sums) total += one;
  return total;
}

// Bytes per second of one pass. The pool lives for the pass alone: between passes nothing spins.
double pass(std::span<const uint64_t> words, int threads) {
  ThreadPool pool(threads);
  std::atomic<uint64_t> total = 0;  // keeps the reading from being optimised away
  const auto start = std::chrono::steady_clock::now();
  pool.run([&](const Worker& worker) {
    const auto [begin, end] = worker.share(static_cast<int64_t>(words.size()), kGrain);
    total += sum(words.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(words.size_bytes()) / seconds.count();
}

// 1 GiB in huge pages where there are some; empty when the system does not give it. Written to, because pages
// that never were are all the same one.
std::span<const uint64_t> make_buffer() {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  madvise(memory, kBytes, MADV_HUGEPAGE);
  std::memset(memory, 1, kBytes);
  return {static_cast<const uint64_t*>(memory), kBytes / sizeof(uint64_t)};
}

// The child: answers each byte with a rate, 0 for none, until the parent closes its end or is gone.
[[noreturn]] void serve(int requests, int answers, int threads) {
  std::optional<std::span<const uint64_t>> words;  // made when it is first wanted
  for (char request = 0; read(requests, &request, 1) == 1;) {
    if (!words) words = make_buffer();
    const double rate = words->empty() ? 0.0 : pass(*words, threads);
    if (write(answers, &rate, sizeof rate) != sizeof rate) break;
  }
  _exit(0);
}

Error system_error() { return Error{ErrorCode::kIo, "read probe", "", std::strerror(errno), ""}; }

}  // namespace

Result<std::unique_ptr<ReadProbe>> ReadProbe::start(int threads) {
  int requests[2], answers[2];
  if (pipe(requests) != 0) return system_error();
  if (pipe(answers) != 0) return system_error();
  const pid_t process = fork();
  if (process < 0) return system_error();
  if (process == 0) {
    close(requests[1]);
    close(answers[0]);
    serve(requests[0], answers[1], threads);
  }
  close(requests[0]);
  close(answers[1]);
  return std::unique_ptr<ReadProbe>(new ReadProbe(process, requests[1], answers[0]));
}

ReadProbe::~ReadProbe() {
  close(requests_);
  close(answers_);
  waitpid(process_, nullptr, 0);
}

std::optional<double> ReadProbe::measure() {
  double rate = 0;
  if (write(requests_, "m", 1) != 1 || read(answers_, &rate, sizeof rate) != sizeof rate || rate <= 0)
    return std::nullopt;
  return rate;
}

}  // namespace tenon::cli
