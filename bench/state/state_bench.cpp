// state_bench MODEL [DEPTH [STEPS]]: decoding under the two owners that write caches where they lie, in place
// and paged. Steps take turns within one run; medians are printed, and what giving out and binding the block
// tables takes of a paged step.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tenon/compile.h"
#include "tenon/engine/step_inputs.h"
#include "tenon/runtime/paged_state.h"
#include "tenon/runtime/state.h"

namespace tenon::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message());
}

// One sequence under one owner, with the time of each step and of its state's part.
class Decoding {
 public:
  Decoding(const std::shared_ptr<const gguf::File>& file, const std::shared_ptr<runtime::Backend>& backend,
           StateForm form, int64_t context) {
    const SessionOptions options{.context = context, .state_form = form};
    const Compiled compiled = compile(file, *find_device("cpu").value(), *backend, options).value();
    session_ = runtime::Session::create(backend, compiled.plan).value();
    inputs_ = std::make_unique<engine::StepInputs>(session_->plan());
    if (const auto rows = runtime::paged_block_size(session_->plan())) {
      std::shared_ptr<runtime::PagedState> paged =
          runtime::PagedState::create(*session_, *backend, {.blocks = (context + *rows - 1) / *rows}).value();
      state_ = std::make_unique<runtime::PagedSequence>(std::move(paged), context);
    } else {
      state_ = std::make_unique<runtime::State>(runtime::State::create(*session_, *backend, context).value());
    }
    width_ = static_cast<size_t>(session_->plan().find_output("logits")->type.axes.back().extent.value());
  }

  void step(std::span<const int32_t> tokens) {
    const Clock::time_point start = Clock::now();
    symbols_.clear();
    inputs_->clear();
    inputs_->add(tokens, state_->length(), false);
    check(inputs_->bind(*session_, symbols_));
    const Clock::time_point state_start = Clock::now();
    check(state_->bind(*session_, static_cast<int64_t>(tokens.size()), symbols_));
    state_time.push_back(microseconds_since(state_start));
    logits_.resize(static_cast<size_t>(inputs_->row_count()) * width_);
    check(session_->bind_output("logits", reinterpret_cast<std::byte*>(logits_.data()),
                                logits_.size() * sizeof(float)));
    check(session_->run(symbols_));
    state_->commit(static_cast<int64_t>(tokens.size()));
    time.push_back(microseconds_since(start));
  }

  int64_t max_tokens() const { return inputs_->max_tokens(); }
  std::vector<double> time, state_time;  // microseconds

 private:
  std::unique_ptr<runtime::Session> session_;
  std::unique_ptr<engine::StepInputs> inputs_;
  std::unique_ptr<runtime::SequenceState> state_;
  std::vector<runtime::SymbolValue> symbols_;
  std::vector<float> logits_;
  size_t width_ = 0;
};

void run(const std::string& path, int64_t depth, int64_t steps) {
  const auto file = gguf::File::open(path).value();
  const auto backend = find_device("cpu")
                           .value()
                           ->make(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), false)
                           .value();
  Decoding in_place(file, backend, StateForm::kInPlace, depth + steps),
      paged(file, backend, StateForm::kPaged, depth + steps);
  std::vector<int32_t> tokens(static_cast<size_t>(depth));
  std::iota(tokens.begin(), tokens.end(), 0);
  for (Decoding* const owner : {&in_place, &paged}) {
    for (std::span<const int32_t> rest = tokens; !rest.empty();) {
      const size_t count = std::min(rest.size(), static_cast<size_t>(owner->max_tokens()));
      owner->step(rest.first(count));
      rest = rest.subspan(count);
    }
    owner->time.clear();
    owner->state_time.clear();
  }
  const std::vector<int32_t> next = {1};
  for (int64_t i = 0; i < steps; ++i) {
    in_place.step(next);
    paged.step(next);
  }
  const double placed = median(in_place.time), blocks = median(paged.time), tables = median(paged.state_time);
  std::printf("| owner | depth | µs for a token | of in place | block tables |\n|---|--:|--:|--:|--:|\n");
  std::printf("| in place | %lld | %.0f | 1.00 | |\n", static_cast<long long>(depth), placed);
  std::printf("| paged | %lld | %.0f | %.2f | %.1f µs, %.2f %% |\n", static_cast<long long>(depth), blocks,
              blocks / placed, tables, 100 * tables / blocks);
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: state_bench MODEL [DEPTH [STEPS]]\n");
    return 2;
  }
  try {
    tenon::bench::run(argv[1], argc > 2 ? std::max(1, std::atoi(argv[2])) : 2048,
                      argc > 3 ? std::max(1, std::atoi(argv[3])) : 64);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "state_bench: %s\n", error.what());
    return 1;
  }
}
