// GELU and GEGLU of a running model without the rounding of ggml's table of f16.
#pragma once

#include <vector>

#include "ggml.h"

namespace tenon::oracle {

// Computes the results of GELU and GEGLU nodes anew, by the f32 function of ggml from which it fills the
// table. `on_node` is a ggml_backend_sched_eval_callback whose user data is an ExactGelu; it throws
// std::runtime_error for a node that is not f32 in memory, or whose operand is lost.
class ExactGelu {
 public:
  static bool on_node(ggml_tensor* node, bool ask, void* self);

 private:
  void replace(ggml_tensor* node);

  // What the latest node gave: GELU may overwrite its operand.
  const ggml_tensor* latest_ = nullptr;
  std::vector<float> values_;
};

}  // namespace tenon::oracle
