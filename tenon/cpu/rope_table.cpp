#include <algorithm>
#include <cmath>
#include <numbers>

#include "tenon/cpu/rope.h"
#include "tenon/op/rope.h"

namespace tenon::cpu {

namespace {

// The pair whose wave turns `turns` times over the original context: YaRN's d(r), equation 17 solved for d.
double pair_that_turns(const RopeParameters& parameters, double turns) {
  const double context = static_cast<double>(parameters.original_context);
  return static_cast<double>(parameters.rotated) * std::log(context / (turns * 2.0 * std::numbers::pi)) /
         (2.0 * std::log(static_cast<double>(parameters.base)));
}

}  // namespace

void build_rope_table(const RopeTableJob& job, const Worker& worker) {
  const RopeParameters& parameters = job.parameters;
  const int64_t half = parameters.rotated / 2;
  const double mix = static_cast<double>(parameters.extrapolation_factor),
               scale = static_cast<double>(parameters.freq_scale);
  double magnitude = static_cast<double>(parameters.attention_factor), ramp_begin = 0.0, ramp_end = 0.0;
  if (mix != 0.0) {
    magnitude *= 1.0 + 0.1 * std::log(1.0 / scale);
    ramp_begin =
        std::max(0.0, std::floor(pair_that_turns(parameters, static_cast<double>(parameters.beta_fast))));
    ramp_end = std::min(static_cast<double>(parameters.rotated - 1),
                        std::ceil(pair_that_turns(parameters, static_cast<double>(parameters.beta_slow))));
  }
  const Worker::Range share = worker.share(job.tokens);
  for (int64_t i = 0; i < half; ++i) {
    double frequency = std::pow(static_cast<double>(parameters.base),
                                -2.0 * static_cast<double>(i) / static_cast<double>(parameters.rotated));
    if (job.freq_factors != nullptr) frequency /= static_cast<double>(job.freq_factors[i]);
    double turn = frequency * scale;
    if (mix != 0.0) {
      // Fast pairs keep their frequency, slow ones are scaled.
      const double ramp = (static_cast<double>(i) - ramp_begin) / std::max(0.001, ramp_end - ramp_begin);
      const double kept = (1.0 - std::clamp(ramp, 0.0, 1.0)) * mix;
      turn = turn * (1.0 - kept) + frequency * kept;
    }
    const int64_t component = job.components != nullptr ? op::component_of_pair(*job.components, i) : 0;
    const int32_t* positions = job.positions + component * job.tokens;
    for (int64_t t = share.begin; t < share.end; ++t) {
      const double angle = static_cast<double>(positions[t]) * turn;
      float* row = job.table + t * parameters.rotated;
      row[i] = static_cast<float>(std::cos(angle) * magnitude);
      row[half + i] = static_cast<float>(std::sin(angle) * magnitude);
    }
  }
}

}  // namespace tenon::cpu
