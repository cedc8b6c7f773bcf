// Where a converted graph is run: on the ops' references, and planned for the CPU with each instruction set
// that this machine has.
#pragma once

#include <string>
#include <vector>

#include "tenon/ir/model.h"
#include "tenon/op/host_tensor.h"

namespace tenon::conform {

inline constexpr std::string_view kReference = "ref";

// kReference, and "cpu <isa>" for each instruction set.
std::vector<std::string> runtimes();

struct RunResult {
  op::HostTensors outputs;
  std::string kernels;  // of the plan's steps, "matmul,add"; "reference" where the CPU has no kernel
};

// `runtime` is one of runtimes(). Inputs, outputs, variables and symbols are as in op::evaluate.
Result<RunResult> run_on(const std::string& runtime, const ir::Model& model, const op::HostTensors& inputs,
                         const SymbolValues& symbols);

}  // namespace tenon::conform
