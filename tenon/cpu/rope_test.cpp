#include "tenon/cpu/rope.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tenon/cpu/test_capture.h"
#include "tenon/cpu/test_support.h"

namespace tenon::cpu {
namespace {

class RopeOn : public EachIsa {};
TENON_EACH_ISA(RopeOn);

// |a| + |b| of a pair of captured inputs, which lie in [-2, 2), by YaRN's magnitude of at most 1.2.
constexpr double kLargestPair = 4.8;

struct Case {
  RopeMode mode;
  RopeParameters parameters;
  std::vector<float> x, factors;
  std::vector<int32_t> positions;
  int64_t heads, head_size;
};

std::vector<float> turned(const KernelTable& kernels, const Case& input, bool in_place) {
  const auto tokens = static_cast<int64_t>(input.positions.size());
  std::vector<float> table(static_cast<size_t>(rope_table_floats(input.parameters, tokens))), x = input.x,
                                                                                              out(x.size());
  const RopeTableJob table_job{.parameters = input.parameters,
                               .freq_factors = input.factors.empty() ? nullptr : input.factors.data(),
                               .positions = input.positions.data(),
                               .tokens = tokens,
                               .table = table.data()};
  const RopeJob job{.mode = input.mode,
                    .x = x.data(),
                    .x_token_stride = input.heads * input.head_size,
                    .x_head_stride = input.head_size,
                    .output = in_place ? x.data() : out.data(),
                    .output_token_stride = input.heads * input.head_size,
                    .output_head_stride = input.head_size,
                    .tokens = tokens,
                    .heads = input.heads,
                    .head_size = input.head_size,
                    .rotated = input.parameters.rotated,
                    .table = table.data()};
  ThreadPool pool(3);
  pool.run([&](const Worker& worker) {
    build_rope_table(table_job, worker);
    worker.barrier();
    kernels.rope(job, worker);
  });
  return in_place ? x : out;
}

// Head sizes with and without whole vectors, partial rotation, positions in any order.
TEST_P(RopeOn, TurnsPairsByTheirAngles) {
  for (const int64_t rotated : {2, 6, 20, 64, 96}) {
    for (const RopeMode mode : {RopeMode::kNormal, RopeMode::kNeox}) {
      Case input{mode, {.rotated = rotated, .base = 500000.0f}, {}, {}, {0, 5, 3, 4096, 77}, 3, rotated + 10};
      input.x = random_values(5 * 3 * input.head_size, 1);
      const std::vector<float> y = turned(*kernels, input, false);
      EXPECT_EQ(y, turned(*kernels, input, true));
      for (size_t i = 0; i < y.size(); ++i) {
        const auto at = static_cast<int64_t>(i) % input.head_size;
        if (at >= rotated) {
          EXPECT_EQ(y[i], input.x[i]);
          continue;
        }
        const bool normal = mode == RopeMode::kNormal;
        const int64_t pair = normal ? at / 2 : at % (rotated / 2);
        const bool first = normal ? at % 2 == 0 : at < rotated / 2;
        const size_t other = i + static_cast<size_t>((normal ? 1 : rotated / 2) * (first ? 1 : -1));
        const double angle =
            static_cast<double>(input.positions[i / static_cast<size_t>(3 * input.head_size)]) *
            std::pow(500000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(rotated));
        const double cross = static_cast<double>(input.x[other]) * std::sin(angle) * (first ? -1.0 : 1.0);
        const double wanted = static_cast<double>(input.x[i]) * std::cos(angle) + cross;
        // Table entries, products and the sum: one rounding each of at most |a| + |b|.
        const double size =
            std::fabs(static_cast<double>(input.x[i])) + std::fabs(static_cast<double>(input.x[other]));
        EXPECT_NEAR(static_cast<double>(y[i]), wanted, 3 * 0x1p-24 * size);
      }
    }
  }
}

// Real ggml: partial rotation, bases, factors, linear scaling, YaRN. It multiplies the angle up from pair to
// pair in f32 (pair i has i + 2 roundings, of the ratio and of each product), so that its own sines are off
// by that times the angle.
TEST_P(RopeOn, AgreesWithGgml) {
  const OpCapture capture("rope");
  for (size_t i = 0; i < capture.size(); ++i) {
    SCOPED_TRACE(capture.name(i));
    const gguf::TensorInfo& x = capture.tensor(i, "input.0");  // [tokens, heads, head_size]
    const Case input{capture.text(i, "mode") == "neox" ? RopeMode::kNeox : RopeMode::kNormal,
                     {.rotated = capture.integer(i, "n_dims"),
                      .base = capture.number(i, "freq_base"),
                      .freq_scale = capture.number(i, "freq_scale"),
                      .extrapolation_factor = capture.number(i, "ext_factor"),
                      .attention_factor = capture.number(i, "attn_factor"),
                      .beta_fast = capture.number(i, "beta_fast"),
                      .beta_slow = capture.number(i, "beta_slow"),
                      .original_context = capture.integer(i, "n_ctx_orig")},
                     capture.values<float>(i, "input.0"),
                     capture.has(i, "input.2") ? capture.values<float>(i, "input.2") : std::vector<float>(),
                     capture.values<int32_t>(i, "input.1"),
                     x.extents[1],
                     x.extents[2]};
    const std::vector<float> wanted = capture.values<float>(i, "output"),
                             found = turned(*kernels, input, false);
    const int64_t rotated = input.parameters.rotated;
    for (size_t at = 0; at < wanted.size(); ++at) {
      const int64_t column = static_cast<int64_t>(at) % input.head_size;
      const auto token = static_cast<int64_t>(at) / input.head_size / input.heads;
      const int64_t pair = input.mode == RopeMode::kNeox ? column % (rotated / 2) : column / 2;
      const double frequency = std::pow(static_cast<double>(input.parameters.base),
                                        -2.0 * static_cast<double>(pair) / static_cast<double>(rotated));
      const double angle = std::fabs(input.positions[static_cast<size_t>(token)] * frequency);
      const double off = (angle * static_cast<double>(pair + 2) + 4.0) * 0x1p-24;
      EXPECT_NEAR(static_cast<double>(found[at]), static_cast<double>(wanted[at]), off * kLargestPair) << at;
    }
  }
}

}  // namespace
}  // namespace tenon::cpu
