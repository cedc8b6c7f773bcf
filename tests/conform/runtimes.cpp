#include "tests/conform/runtimes.h"

#include <cstdlib>

#include "tenon/cpu/backend.h"
#include "tenon/cpu/dispatch.h"
#include "tenon/op/evaluate.h"
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

// Of symbols that are an input's extent or an input's element.
SymbolValues with_symbols_of_inputs(const ir::Model& model, const op::HostTensors& inputs,
                                    SymbolValues symbols) {
  for (const ir::Node* node : model.parameters()) {
    const auto& parameter = node->attributes_as<ir::ParameterAttributes>();
    const op::HostTensor& tensor = inputs.at(parameter.name);
    for (size_t axis = 0; axis < tensor.extents.size(); ++axis) {
      const auto symbol = parameter.type.axes.at(axis).extent.symbol_name();
      if (symbol) symbols[*symbol] = tensor.extents[axis];
    }
    if (!parameter.value_symbol.empty()) {
      symbols[parameter.value_symbol] = static_cast<int64_t>(tensor.values().front());
    }
  }
  return symbols;
}

// Inputs by copy: a plan may write caches in place.
Result<RunResult> run_plan(const std::shared_ptr<runtime::Backend>& backend, const ir::Model& model,
                           op::HostTensors inputs, const SymbolValues& symbols) {
  plan::PlanOptions options;
  options.workers = backend->workers();
  for (const auto& [name, value] : symbols) options.symbols[name] = {1, value};
  TENON_ASSIGN(const auto plan, plan::make_plan(model, backend->target(), options));
  TENON_ASSIGN(const auto session, runtime::Session::create(backend, plan));

  RunResult out;
  for (auto& [name, tensor] : inputs) {
    TENON_RETURN_IF_ERROR(session->bind_input(name, tensor.bytes.data(), tensor.bytes.size()));
  }
  for (const plan::OutputBinding& output : plan->outputs) {
    std::vector<int64_t> extents;
    for (const Dim& dim : output.type.dims()) extents.push_back(dim.evaluate(symbols));
    op::HostTensor& tensor = out.outputs[output.name] =
        op::HostTensor::make(output.type.element, std::move(extents));
    TENON_RETURN_IF_ERROR(session->bind_output(output.name, tensor.bytes.data(), tensor.bytes.size()));
  }
  std::vector<runtime::SymbolValue> values;
  for (const auto& [name, value] : symbols) values.push_back({name, value});
  TENON_RETURN_IF_ERROR(session->run(values));
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
  return run_plan(backend, model, inputs, with_symbols_of_inputs(model, inputs, symbols));
}

}  // namespace tenon::conform
