#include "tenon/ref/backend.h"

#include "tenon/runtime/reference_step.h"

namespace tenon::ref {

namespace {

const plan::Target& ref_target() {
  static const plan::Target target{
      "ref",
      {
          {.id = "StatelessKV",
           .pattern = "VariadicSplit(ScatterUpdate(cache:Parameter, index, rows), lengths)",
           .in_place_operand = 0},
          {.id = "reference", .pattern = "*"},
      }};
  return target;
}

class RefProgram : public runtime::Program {
 public:
  explicit RefProgram(std::shared_ptr<const plan::Plan> plan) : plan_(std::move(plan)) {}

  // One definition per step, or null for a step of StatelessKV.
  Status load() {
    for (const plan::StepList& list : plan_->lists) {
      std::vector<const op::OpDefinition*> functions;
      for (const plan::Step& step : list.steps) {
        const op::OpDefinition* definition = nullptr;
        if (step.row != "StatelessKV") {
          TENON_ASSIGN(definition, runtime::reference_of(step));
        }
        functions.push_back(definition);
      }
      lists_.push_back(std::move(functions));
    }
    return {};
  }

  Status run(size_t list, std::span<const runtime::BoundStep> steps,
             runtime::Traffic* traffic) const override {
    for (size_t i = 0; i < steps.size(); ++i) {
      const op::OpDefinition* definition = lists_[list][i];
      TENON_RETURN_IF_ERROR(definition ? runtime::run_reference(*definition, steps[i], traffic)
                                       : runtime::run_stateless_kv(steps[i], traffic));
    }
    return {};
  }

 private:
  std::shared_ptr<const plan::Plan> plan_;
  std::vector<std::vector<const op::OpDefinition*>> lists_;
};

class RefBackend : public runtime::Backend {
 public:
  std::string_view name() const override { return "ref"; }
  const plan::Target& target() const override { return ref_target(); }
  int workers() const override { return 1; }
  Result<runtime::Buffer> allocate(size_t bytes) override { return runtime::allocate_host(bytes); }
  Result<runtime::Buffer> prepare(const ir::ConstantAttributes& constant, std::string_view) override {
    return runtime::share_file_bytes(constant);
  }
  Result<std::shared_ptr<const runtime::Program>> load(std::shared_ptr<const plan::Plan> plan) override {
    auto program = std::make_shared<RefProgram>(std::move(plan));
    TENON_RETURN_IF_ERROR(program->load());
    return std::shared_ptr<const runtime::Program>(std::move(program));
  }
};

}  // namespace

std::shared_ptr<runtime::Backend> make_backend() { return std::make_shared<RefBackend>(); }

}  // namespace tenon::ref
