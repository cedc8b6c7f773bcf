#include "tenon/cpu/backend.h"

#include <atomic>
#include <exception>
#include <functional>
#include <system_error>

#include "tenon/base/thread_pool.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/cpu/steps.h"
#include "tenon/cpu/target.h"
#include "tenon/runtime/reference_step.h"

namespace tenon::cpu {

namespace {

// A step's function: a kernel that all workers enter, or an op's reference that one worker runs.
struct LoadedStep {
  StepFunction kernel = nullptr;
  const op::OpDefinition* reference = nullptr;
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
          if (!entry.kernel) {
            return Error{ErrorCode::kUnsupported, "step '" + step.name + "'", "a kernel of the cpu",
                         std::string(step.row), ""};
          }
        }
        loaded.push_back(entry);
      }
      lists_.push_back(std::move(loaded));
    }
    return {};
  }

  // The whole list in one parallel call: a step costs a barrier, where the plan asks for one.
  Status run(size_t list, std::span<const runtime::BoundStep> steps,
             runtime::Traffic* traffic) const override {
    Status outcome;             // written by worker 0 alone: kernels' errors are the same for all
    std::exception_ptr thrown;  // by a reference; handed on when all workers have left
    std::atomic<bool> failed = false;
    const auto work = [&](const Worker& worker) {
      const StepContext context{kernels_, worker, traffic};
      for (size_t i = 0; i < steps.size(); ++i) {
        if (i > 0 && steps[i].step->barrier_before) worker.barrier();
        const LoadedStep& loaded = lists_[list][i];
        if (loaded.kernel) {
          Status status = loaded.kernel(steps[i], context);
          if (status.ok()) continue;
          if (worker.rank == 0) outcome = std::move(status);
          return;
        }
        if (worker.rank == 0) {
          try {
            outcome = runtime::run_reference(*loaded.reference, steps[i], traffic);
          } catch (...) {
            thrown = std::current_exception();
          }
          failed = thrown || !outcome.ok();
        }
        worker.barrier();
        if (failed) return;
      }
    };
    pool_.run(std::cref(work));  // by reference: a copy would allocate on every step
    if (thrown) std::rethrow_exception(thrown);
    return outcome;
  }

 private:
  std::shared_ptr<const plan::Plan> plan_;
  const KernelTable& kernels_;
  ThreadPool& pool_;
  std::vector<std::vector<LoadedStep>> lists_;
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
