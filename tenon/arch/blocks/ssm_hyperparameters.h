// The numbers that describe a recurrent layer: a state-space model's, or a gated delta-net's under the same
// keys.
#pragma once

#include <cstdint>

#include "tenon/arch/blocks/architecture_keys.h"

namespace tenon::arch {

struct SsmHyperparameters {
  int64_t kernel = 0;  // ssm.conv_kernel, taps of the convolution; 2 or more
  int64_t inner = 0;   // ssm.inner_size = heads * head_size
  int64_t state = 0;   // ssm.state_size
  int64_t heads = 0;   // ssm.time_step_rank
  int64_t groups = 0;  // ssm.group_count; divides heads

  int64_t head_size() const { return inner / heads; }
  // What the convolution runs over: x, and B and C (or queries and keys) of each group.
  int64_t channels() const { return inner + 2 * groups * state; }
};

// Errors name the key: kInvalidFile for what is absent, out of range or contradictory.
Result<SsmHyperparameters> read_ssm_hyperparameters(const ArchitectureKeys& keys);

}  // namespace tenon::arch
