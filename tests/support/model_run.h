// A whole model compiled for one device and ready to be fed, as the facade does it, with the parts in reach.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenon/compile.h"
#include "tenon/engine/sequence.h"
#include "tests/fixtures/model.h"

namespace tenon::test {

// A backend, and for the CPU the instruction set that is forced.
struct RunDevice {
  std::string name;  // "ref", "cpu"
  std::string isa;   // as TENON_CPU_ISA spells it; "" for ref

  std::string title() const { return isa.empty() ? name : name + "_" + isa; }
};

// ref, and cpu with every instruction set that this machine has. Throws std::runtime_error when it has none.
std::vector<RunDevice> run_devices();
// Throws std::runtime_error when the device cannot be made.
std::shared_ptr<runtime::Backend> make_backend(const RunDevice& device, int threads = 2,
                                               bool deterministic = false);

// Bytes in memory that the file keeps alive.
std::shared_ptr<const gguf::File> file_of(const fixtures::ModelSpec& spec);

struct ModelRun {
  Compiled compiled;
  std::unique_ptr<engine::Sequence> sequence;

  // Appends tokens in steps of the lengths `split` and returns the logits of each token. Needs
  // SessionOptions::all_logits. Throws std::runtime_error with the message of a failed step.
  std::vector<std::vector<float>> logits(std::span<const int32_t> tokens, std::span<const int32_t> split);
};

// f32 keys and values, room for 64 tokens, logits of every token: what exact comparisons want.
SessionOptions exact_options(StateForm layout = StateForm::kInPlace);

// Throws std::runtime_error with the message of what failed.
ModelRun open_run(const std::shared_ptr<const gguf::File>& file,
                  const std::shared_ptr<runtime::Backend>& backend, const SessionOptions& options);

// Sum of squared differences over sum of squares of `expected`.
double normalised_error(std::span<const float> found, std::span<const float> expected);

}  // namespace tenon::test
