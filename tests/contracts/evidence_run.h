// A model of the catalogue under an owner of its state: made, fed step after step, and its caches looked
// into.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/contracts/evidence.h"
#include "tests/contracts/state_forms.h"

namespace tenon::contracts {

std::vector<ir::Pass> owner_passes(Owner owner);

// "name type" of each, as the contracts of the owners state them.
std::multiset<std::string> expected_inputs(Owner owner, const fixtures::ModelSpec& spec);
std::multiset<std::string> expected_outputs(Owner owner, const fixtures::ModelSpec& spec);

// The fixture's tokens, step by step.
std::vector<std::vector<int32_t>> steps_of(const fixtures::Fixture& fixture);
// What llama.cpp gave for them: [tokens][vocabulary].
std::vector<std::vector<double>> captured_logits(std::string_view fixture);

// Caches that the caller owns hold kUnwritten where nothing was written.
inline constexpr double kUnwritten = 777;

class OwnedRun {
 public:
  OwnedRun(const ir::Model& model, std::string runtime);

  // The outputs; inputs are given by role.
  const op::HostTensors& step(const std::vector<int32_t>& tokens);
  // Those of the last step; caches and variables among them.
  const op::HostTensors& outputs() const { return outputs_; }

 private:
  op::HostTensor input(const ir::ParameterAttributes& attributes, const std::vector<int32_t>& tokens) const;

  const ir::Model& model_;
  StepByStep steps_;
  op::HostTensors outputs_;
  int64_t past_ = 0;
};

// The rows that a model writes: [tokens, G, D] by the name of the cache, seen before any owner has them.
op::HostTensors written_rows(const decoder::Decoder& decoder, const fixtures::Fixture& fixture);

// What is not where the owner's layout has it, of one cache with these rows; "" when all is.
//
//   [1,rows,G,D]    row t of head g at (t*G + g)*D; paged [blocks,G,S,D]: at ((block(t/S)*G + g)*S + t%S)*D
std::string misplaced_rows(Owner owner, const op::HostTensors& outputs, const std::string& cache,
                           const op::HostTensor& rows);

}  // namespace tenon::contracts
