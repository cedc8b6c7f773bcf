#include "tests/conform/runtimes.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tenon/cpu/backend.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/op.h"
#include "tenon/runtime/session.h"

namespace tenon::conform {

namespace {

constexpr std::string_view kCpu = "cpu ";
constexpr int kThreads = 2;

// One for each instruction set, kept for the whole process.
Result<std::shared_ptr<runtime::Backend>> cpu_backend(const std::string& isa) {
  static std::map<std::string, std::shared_ptr<runtime::Backend>> backends;
  std::shared_ptr<runtime::Backend>& backend = backends[isa];
  if (!backend) {
    setenv("TENON_CPU_ISA", isa.c_str(), 1);
    Result<std::shared_ptr<runtime::Backend>> made = cpu::make_backend(kThreads);
    unsetenv("TENON_CPU_ISA");
    TENON_ASSIGN(backend, std::move(made));
  }
  return backend;
}

std::vector<int64_t> extents_of(const TensorType& type, const SymbolValues& symbols) {
  std::vector<int64_t> out;
  for (const Dim& dim : type.dims()) out.push_back(dim.evaluate(symbols));
  return out;
}

// What the steps write into the memory of inputs: their names.
std::set<std::string> written_inputs(const ir::Model& model) {
  std::set<std::string> out;
  for (const ir::Node* node : model.topological_order()) {
    const op::OpDefinition* const op = op::find_op(node->op());
    if (!op) continue;
    for (const int input : op->written_inputs)
      out.insert(node->input(input).node().attributes_as<ir::ParameterAttributes>().name);
  }
  return out;
}

// Inputs by copy: a plan may write caches in place. A variable that is not given is zero, as evaluate() has
// it.
Result<RunResult> run_plan(const std::shared_ptr<runtime::Backend>& backend, const ir::Model& model,
                           op::HostTensors inputs, const SymbolValues& symbols) {
  plan::PlanOptions options;
  options.workers = backend->workers();
  for (const auto& [name, value] : symbols) options.symbols[name] = {std::min<int64_t>(value, 1), value};
  TENON_ASSIGN(const auto plan, plan::make_plan(model, backend->target(), options));
  TENON_ASSIGN(const auto session, runtime::Session::create(backend, plan));

  for (const plan::InputBinding& input : plan->inputs) {
    const ir::ParameterAttributes& parameter = input.parameter;
    op::HostTensor& tensor =
        inputs
            .try_emplace(parameter.name,
                         op::HostTensor::make(parameter.type.element, extents_of(parameter.type, symbols)))
            .first->second;
    TENON_RETURN_IF_ERROR(session->bind_input(parameter.name, tensor.bytes.data(), tensor.bytes.size()));
  }
  RunResult out;
  for (const plan::OutputBinding& output : plan->outputs) {
    if (output.in_place) continue;  // the input's memory
    op::HostTensor& tensor = out.outputs[output.name] =
        op::HostTensor::make(output.type.element, extents_of(output.type, symbols));
    TENON_RETURN_IF_ERROR(session->bind_output(output.name, tensor.bytes.data(), tensor.bytes.size()));
  }
  std::vector<runtime::SymbolValue> values;
  for (const auto& [name, value] : symbols) values.push_back({name, value});
  TENON_RETURN_IF_ERROR(session->run(values));
  for (const std::string& name : written_inputs(model)) out.outputs[name] = inputs.at(name);
  for (const plan::OutputBinding& output : plan->outputs) {
    if (!output.in_place) continue;
    const auto same = std::find_if(plan->inputs.begin(), plan->inputs.end(),
                                   [&](const auto& input) { return input.storage == output.storage; });
    out.outputs[output.name] = inputs.at(same->parameter.name);
  }
  for (const plan::Step& step : plan->lists.front().steps) {
    out.kernels += (out.kernels.empty() ? "" : ",") + std::string(step.row);
  }
  return out;
}

}  // namespace

std::vector<std::string> runtimes() {
  std::vector<std::string> out = {std::string(kReference)};
  for (const cpu::KernelTable* kernels : cpu::supported_kernels()) {
    out.push_back(std::string(kCpu) + std::string(kernels->isa));
  }
  return out;
}

Result<RunResult> run_on(const std::string& runtime, const ir::Model& model, const op::HostTensors& inputs,
                         const SymbolValues& symbols) {
  if (runtime == kReference) {
    TENON_ASSIGN(op::HostTensors outputs, op::evaluate(model, inputs, symbols));
    return RunResult{std::move(outputs), ""};
  }
  TENON_ASSIGN(const std::shared_ptr<runtime::Backend> backend, cpu_backend(runtime.substr(kCpu.size())));
  TENON_ASSIGN(const SymbolValues values, op::symbol_values(model, inputs, symbols));
  return run_plan(backend, model, inputs, values);
}

}  // namespace tenon::conform
