// Models whose state has an owner: made with their passes' reports, and run step by step on every device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tenon/ir/pass_manager.h"
#include "tenon/op/host_tensor.h"
#include "tests/support/hand_decoder.h"

namespace tenon::contracts {

// A model that converted; else what went wrong. As pass::convert, with the passes as extensions.
Result<ir::Model> try_convert(const decoder::Decoder& decoder, std::vector<ir::Pass> passes,
                              std::vector<ir::PassReport>* reports = nullptr);

// Runs a model step after step: what a step left in variables, and in caches that an op wrote, is there for
// the next.
class StepByStep {
 public:
  // `runtime` is one of conform::runtimes(); `state` is what the first step finds.
  StepByStep(const ir::Model& model, std::string runtime, op::HostTensors state = {})
      : model_(model), runtime_(std::move(runtime)), state_(std::move(state)) {}

  // Outputs by name, variables among them. Throws std::runtime_error with the message of a run that fails.
  op::HostTensors run(op::HostTensors inputs);

 private:
  const ir::Model& model_;
  std::string runtime_;
  op::HostTensors state_;
};

// On the references and on every instruction set of this machine.
void on_every_runtime(const std::function<void(const std::string& runtime)>& test);

op::HostTensor f32(std::vector<int64_t> extents, const std::vector<double>& values);
op::HostTensor i32(std::vector<int64_t> extents, const std::vector<double>& values);
op::HostTensor i64(std::vector<int64_t> extents, const std::vector<double>& values);
// first, first + 1, …: `count` of them.
std::vector<double> counted(int64_t count, int64_t first = 0);
// 0; one row for each beam.
op::HostTensor beams(const std::vector<double>& rows = {0});

// A first step of the form that GenAI drives: as many tokens for each sequence.
op::HostTensors genai_inputs(int64_t sequences, const std::vector<double>& ids);
// A first step of one sequence of a paged TinyTransformer, in two blocks of 4 rows.
op::HostTensors paged_inputs(const std::vector<double>& ids);

// "name type[extents]" of each input, in the model's order.
std::vector<std::string> typed_inputs(const ir::Model& model);
// All that a pass told of what it left alone: "node: text" lines.
std::string reasons(const std::vector<ir::PassReport>& reports, std::string_view pass);
// Whether the conversion failed with every one of the parts in its message.
void expect_error(const Result<ir::Model>& model, const std::vector<std::string>& parts);

}  // namespace tenon::contracts
