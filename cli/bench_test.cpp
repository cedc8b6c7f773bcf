#include "cli/bench_test.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>

namespace tenon::cli {

namespace {

class RandomTokens {
 public:
  explicit RandomTokens(int64_t vocabulary) : distribution_(0, static_cast<int32_t>(vocabulary) - 1) {}
  std::vector<int32_t> take(int64_t count) {
    std::vector<int32_t> tokens(static_cast<size_t>(count));
    std::ranges::generate(tokens, [this] { return distribution_(engine_); });
    return tokens;
  }

 private:
  std::mt19937 engine_;
  std::uniform_int_distribution<int32_t> distribution_;
};

// Evaluates the prompt, or so many tokens one by one.
Status run(Session& session, const BenchTest& test, const std::vector<int32_t>& tokens) {
  if (test.prompt > 0) return session.evaluate(tokens);
  for (const int32_t& token : tokens) TENON_RETURN_IF_ERROR(session.evaluate({&token, 1}));
  return {};
}

// From here on the system's peak counts anew. Where it does not allow that, the peak is the process's so far.
void restart_peak_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

void probe_memory(ReadProbe& probe, BenchMeasurement& out) {
  if (const auto rate = probe.measure()) out.read_rates.push_back(*rate);
}

}  // namespace

std::string BenchTest::name() const {
  std::string out = prompt > 0 ? "pp" + std::to_string(prompt) : "tg" + std::to_string(generated);
  if (depth > 0) out += " @ d" + std::to_string(depth);
  return out;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Result<BenchMeasurement> measure(const Model& model, const BenchTest& test, SessionOptions options,
                                 int64_t repetitions, ReadProbe& probe) {
  BenchMeasurement out;
  restart_peak_memory();
  options.context = test.tokens() + test.depth;
  TENON_ASSIGN(Session session, model.open_session(options));
  RandomTokens random(std::min(model.vocabulary_size(), model.vocabulary_rows()));
  TENON_RETURN_IF_ERROR(run(session, test, random.take(test.prompt > 0 ? test.prompt : 1)));
  session.reset();
  if (test.depth > 0) TENON_RETURN_IF_ERROR(session.evaluate(random.take(test.depth)));
  probe_memory(probe, out);
  for (int64_t i = 0; i < repetitions; ++i) {
    TENON_RETURN_IF_ERROR(session.trim(test.depth));
    const std::vector<int32_t> tokens = random.take(test.tokens());
    const auto start = std::chrono::steady_clock::now();
    TENON_RETURN_IF_ERROR(run(session, test, tokens));
    out.samples_ns.push_back(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
            .count());
    probe_memory(probe, out);
  }
  out.peak_memory = peak_memory_bytes();
  out.state_bytes = session.state_bytes();
  return out;
}

}  // namespace tenon::cli
