// A stateless model run step by step on the references: the caller's loop owns the caches and recurrent
// states.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tenon/ir/model.h"
#include "tenon/op/evaluate.h"

namespace tenon::conform {

class ReferenceSession {
 public:
  // `model` is a converted decoder with the stateless interface; it must outlive the session.
  explicit ReferenceSession(const ir::Model& model);

  // Feeds tokens after those of earlier steps and returns the logits of each, [tokens][rows of the output
  // matrix]. Throws std::runtime_error with the evaluation's message when it fails.
  std::vector<std::vector<double>> step(const std::vector<int32_t>& tokens);

 private:
  std::optional<op::HostTensor> input_of(const ir::ParameterAttributes& attributes,
                                         const std::vector<int32_t>& tokens) const;
  op::HostTensor grown(const op::HostTensor& cache, const ir::ParameterAttributes& attributes,
                       int64_t rows) const;
  // Of the next `count` tokens, as its structure says.
  op::HostTensor mask_of(const ir::ParameterAttributes& attributes, int64_t count) const;

  const ir::Model& model_;
  op::HostTensors caches_;
  op::HostTensors states_;  // recurrent, zero at first
  int64_t past_ = 0;
};

}  // namespace tenon::conform
