#include "tenon/cpu/backend.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <system_error>

#include "tenon/base/thread_pool.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/cpu/steps.h"
#include "tenon/cpu/target.h"
#include "tenon/op/paged_attention.h"
#include "tenon/runtime/reference_step.h"

namespace tenon::cpu {

namespace {

// A step's function: a kernel that all workers enter, or an op's reference that one worker runs.
struct LoadedStep {
  StepKernel kernel;
  const op::OpDefinition* reference = nullptr;
};

// A late worker's job may be made from what is written anew meanwhile, as long as no address and no extent
// is: those come from inputs, which stay as they are for a run.
bool tables_stay(const plan::Step& step, const plan::Plan& plan) {
  const auto stays = [&](const plan::Operand& operand) {
    if (operand.storage < 0) return true;
    const plan::StorageKind kind = plan.storages[static_cast<size_t>(operand.storage)].kind;
    return kind == plan::StorageKind::kInput || kind == plan::StorageKind::kConstant;
  };
  const std::vector<plan::Operand>& inputs = step.parts[0].inputs;
  if (step.row == "attention") return inputs.size() <= 4 || stays(inputs[4]);
  if (step.row == "paged_attention")
    return std::all_of(inputs.begin() + op::kPagedKeyCache, inputs.end(), stays);
  return true;
}

// What went wrong in a run, told by whoever meets it first.
class Outcome {
 public:
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  void fail(Status status, std::exception_ptr thrown = nullptr) {
    if (told_.exchange(true)) return;
    status_ = std::move(status);
    thrown_ = std::move(thrown);
    failed_.store(true, std::memory_order_release);
  }
  // When all workers have left.
  Status status() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(status_);
  }

 private:
  std::atomic<bool> told_ = false, failed_ = false;
  Status status_;
  std::exception_ptr thrown_;  // by a reference
};

class CpuProgram : public runtime::Program {
 public:
  CpuProgram(std::shared_ptr<const plan::Plan> plan, const KernelTable& kernels, ThreadPool& pool)
      : plan_(std::move(plan)), kernels_(kernels), pool_(pool) {}

  Status load() {
    for (const plan::StepList& list : plan_->lists) {
      std::vector<LoadedStep> loaded;
      for (const plan::Step& step : list.steps) {
        LoadedStep entry;
        if (step.row == "reference") {
          TENON_ASSIGN(entry.reference, runtime::reference_of(step));
        } else {
          entry.kernel = find_step(step.row);
          if (!entry.kernel.function) {
            return Error{ErrorCode::kUnsupported, "step '" + step.name + "'", "a kernel of the cpu",
                         std::string(step.row), ""};
          }
          if (!tables_stay(step, *plan_)) entry.kernel.help = Help::kNone;
        }
        if (workers_help(list) && entry.kernel.help == Help::kTurns)
          own_bytes_ = std::max(own_bytes_, (step.scratch_bytes_of_one + 63) / 64 * 64);
        loaded.push_back(entry);
      }
      lists_.push_back(std::move(loaded));
    }
    TENON_ASSIGN(own_scratch_, runtime::allocate_host(own_bytes_ * static_cast<size_t>(pool_.size())));
    return {};
  }

  // The whole list in one parallel call.
  Status run(size_t list, std::span<const runtime::BoundStep> steps,
             runtime::Traffic* traffic) const override {
    Outcome outcome;
    const Steps all{lists_[list], steps, traffic};
    const bool help = workers_help(plan_->lists[list]) && !traffic;
    const auto work = [&](const Worker& worker) {
      if (help)
        run_helping(all, worker, outcome);
      else
        run_together(all, worker, outcome);
    };
    pool_.run(std::cref(work));  // by reference: a copy would allocate on every step
    return outcome.status();
  }

 private:
  struct Steps {
    std::span<const LoadedStep> loaded;
    std::span<const runtime::BoundStep> bound;
    runtime::Traffic* traffic;
  };

  // A step of one token is short beside the time for which a worker may lose its core.
  bool workers_help(const plan::StepList& list) const {
    return pool_.size() > 1 && list.tokens.max == 1 && kernels_.order == SumOrder::kFastest;
  }

  // A step costs a barrier, where the plan asks for one.
  void run_together(const Steps& all, const Worker& worker, Outcome& outcome) const {
    const StepContext context{kernels_, worker, all.traffic};
    for (size_t i = 0; i < all.bound.size(); ++i) {
      if (i > 0 && all.bound[i].step->barrier_before) worker.barrier();
      if (all.loaded[i].reference) {
        if (worker.rank == 0) run_reference(all, i, outcome);
        worker.barrier();
        if (outcome.failed()) return;
        continue;
      }
      Status status = all.loaded[i].kernel.function(all.bound[i], context);  // the same for all
      if (status.ok()) continue;
      if (worker.rank == 0) outcome.fail(std::move(status));
      return;
    }
  }

  // Each step is complete when a worker leaves it, so that barriers are only for those that need everyone.
  void run_helping(const Steps& all, const Worker& worker, Outcome& outcome) const {
    Worker helping = worker;
    helping.helps = true;
    const StepContext context{kernels_, helping, nullptr,
                              own_scratch_.data + static_cast<size_t>(worker.rank) * own_bytes_};
    const auto needs_all = [&](size_t i) {
      return !all.loaded[i].reference && all.loaded[i].kernel.help == Help::kNone;
    };
    for (size_t i = 0; i < all.bound.size();) {
      if (i > 0 && needs_all(i - 1)) worker.barrier();
      if (outcome.failed()) return;
      if (const size_t foremost = helping.catch_up(static_cast<uint32_t>(i)); foremost > i) {
        i = foremost;
        continue;
      }
      if (all.loaded[i].reference) {
        helping.claim_turns(1, [&](int64_t) { run_reference(all, i, outcome); });
        ++i;
      } else if (all.loaded[i].kernel.help == Help::kShares) {
        size_t end = i + 1;  // of steps that have nothing to do with each other
        while (end < all.bound.size() && all.loaded[end].kernel.help == Help::kShares &&
               !all.bound[end].step->barrier_before)
          ++end;
        helping.claim_turns(worker.size, [&](int64_t share) {
          const Worker as{static_cast<int>(share), worker.size};
          for (size_t step = i; step < end; ++step) {
            Status status = all.loaded[step].kernel.function(all.bound[step], {kernels_, as});
            if (!status.ok()) outcome.fail(std::move(status));
          }
        });
        i = end;
      } else {
        const bool alone = needs_all(i);
        Status status =
            all.loaded[i].kernel.function(all.bound[i], alone ? StepContext{kernels_, worker} : context);
        if (!status.ok()) return outcome.fail(std::move(status));
        ++i;
      }
    }
  }

  static void run_reference(const Steps& all, size_t i, Outcome& outcome) {
    try {
      Status status = runtime::run_reference(*all.loaded[i].reference, all.bound[i], all.traffic);
      if (!status.ok()) outcome.fail(std::move(status));
    } catch (...) {
      outcome.fail({}, std::current_exception());
    }
  }

  std::shared_ptr<const plan::Plan> plan_;
  const KernelTable& kernels_;
  ThreadPool& pool_;
  std::vector<std::vector<LoadedStep>> lists_;
  // For each worker a part of its own while workers help: one that is late still writes into it.
  runtime::Buffer own_scratch_;
  size_t own_bytes_ = 0;
};

class CpuBackend : public runtime::Backend {
 public:
  CpuBackend(const KernelTable& kernels, int threads)
      : kernels_(kernels), target_(make_target(kernels)), pool_(threads) {}

  std::string_view name() const override { return "cpu"; }
  const plan::Target& target() const override { return target_; }
  int workers() const override { return pool_.size(); }
  Result<runtime::Buffer> allocate(size_t bytes) override { return runtime::allocate_host(bytes); }
  Result<runtime::Buffer> prepare(const ir::ConstantAttributes& constant, std::string_view) override {
    return runtime::share_file_bytes(constant);
  }
  Result<std::shared_ptr<const runtime::Program>> load(std::shared_ptr<const plan::Plan> plan) override {
    auto program = std::make_shared<CpuProgram>(std::move(plan), kernels_, pool_);
    TENON_RETURN_IF_ERROR(program->load());
    return std::shared_ptr<const runtime::Program>(std::move(program));
  }

 private:
  const KernelTable& kernels_;
  const plan::Target target_;
  ThreadPool pool_;
};

}  // namespace

Result<std::shared_ptr<runtime::Backend>> make_backend(int threads, SumOrder order) {
  TENON_ASSIGN(const KernelTable* kernels, select_kernels(order));
  try {
    return std::shared_ptr<runtime::Backend>(std::make_shared<CpuBackend>(*kernels, threads));
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kIo, "threads", std::to_string(threads) + " of them", error.what(),
                 "use fewer (-t)"};
  }
}

}  // namespace tenon::cpu
