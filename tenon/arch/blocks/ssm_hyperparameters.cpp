#include "tenon/arch/blocks/ssm_hyperparameters.h"

namespace tenon::arch {

Result<SsmHyperparameters> read_ssm_hyperparameters(const ArchitectureKeys& keys) {
  SsmHyperparameters out;
  TENON_ASSIGN(out.kernel, keys.count("ssm.conv_kernel"));
  TENON_ASSIGN(out.inner, keys.count("ssm.inner_size"));
  TENON_ASSIGN(out.state, keys.count("ssm.state_size"));
  TENON_ASSIGN(out.heads, keys.count("ssm.time_step_rank"));
  TENON_ASSIGN(out.groups, keys.count("ssm.group_count"));
  if (out.kernel < 2) return keys.invalid("ssm.conv_kernel", "2 taps or more", std::to_string(out.kernel));
  if (out.inner % out.heads != 0) {
    return keys.invalid("ssm.inner_size", "a multiple of the " + std::to_string(out.heads) + " heads",
                        std::to_string(out.inner));
  }
  if (out.heads % out.groups != 0) {
    return keys.invalid("ssm.group_count", "a divisor of the " + std::to_string(out.heads) + " heads",
                        std::to_string(out.groups));
  }
  return out;
}

}  // namespace tenon::arch
