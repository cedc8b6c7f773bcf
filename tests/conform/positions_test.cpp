// ROPE against real ggml, in every mode, with every kind of scaling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker other_pairs("E1_rope_pairs_of_the_other_mode",
                                "NEOX pairs for NORMAL ones and the reverse");
const test::Breaker no_factors("E1_rope_factors_multiply",
                               "frequency factors multiply the angle instead of dividing it");
const test::Breaker other_sections("E1_imrope_sections_rotated",
                                   "each section is that of the next component");

decoder::RopeAttributes attributes_of(const OpCapture& capture) {
  decoder::RopeAttributes out;
  const bool neox = capture.text("mode") == "neox";
  out.mode = neox != other_pairs.active() ? decoder::RopeMode::kNeox : decoder::RopeMode::kNormal;
  if (capture.text("mode") == "imrope") {
    out.mode = decoder::RopeMode::kImrope;
    const std::vector<int64_t> sections = capture.integers("sections");
    std::copy_n(sections.begin(), 4, out.sections.begin());
    if (other_sections.active())
      std::rotate(out.sections.begin(), out.sections.begin() + 1, out.sections.end());
  }
  out.n_rot = capture.integer("n_dims");
  out.original_context = capture.integer("n_ctx_orig");
  out.freq_base = capture.number("freq_base");
  out.freq_scale = capture.number("freq_scale");
  out.ext_factor = capture.number("ext_factor");
  out.attn_factor = capture.number("attn_factor");
  out.beta_fast = capture.number("beta_fast");
  out.beta_slow = capture.number("beta_slow");
  return out;
}

op::HostTensor factors_of(const OpCapture& capture) {
  const op::HostTensor factors = capture.tensor("input.2", 1);
  std::vector<double> values = factors.values();
  if (no_factors.active()) {
    for (double& value : values) value = 1 / value;
  }
  return op::HostTensor::of(factors.element, factors.extents, values);
}

struct CaptureOfFile {
  std::string file;
  OpCapture capture;
};
std::vector<CaptureOfFile> captures() {
  std::vector<CaptureOfFile> out;
  for (const char* const file : {"rope", "rope_multi"}) {
    for (const OpCapture& capture : test::op_captures(file)) out.push_back({file, capture});
  }
  return out;
}

TEST(E1_Positions, Rope) {
  double furthest = 0;
  for (const auto& [file, capture] : captures()) {
    const op::HostTensor x = capture.tensor("input.0");
    const std::vector<double> positions = capture.tensor("input.1", 1).values();
    furthest = std::max(furthest, *std::max_element(positions.begin(), positions.end()));
    TrialBuilder trial(file, capture);
    std::vector<Edge> inputs = {trial.input(x), trial.input(capture.tensor("input.1"))};
    if (capture.has_tensor("input.2")) inputs.push_back(trial.input(factors_of(capture)));
    // ggml multiplies the angle up from pair to pair in f32, so an angle may be off by position * 2^-24,
    // which moves an element by that times the length of its pair: the largest in the input, times what YaRN
    // multiplies it by.
    const auto token = static_cast<size_t>(x.extents[2] * x.extents[3]);
    const std::vector<double> values = x.values();
    double longest = 0;
    for (const double value : values) longest = std::max(longest, std::abs(value) * std::sqrt(2.0));
    const double stretch = 1 + 0.1 * std::abs(std::log(capture.number("freq_scale")));
    // Of four components the largest counts.
    const size_t tokens = x.element_count() / token;
    const auto position = [=](size_t row) {
      double out = 0;
      for (size_t i = row; i < positions.size(); i += tokens) out = std::max(out, positions[i]);
      return out;
    };
    const Tolerance tolerance = [=](size_t place, double expected) {
      return position(place / token) * 0x1p-24 * longest * stretch + element_tolerance(place, expected);
    };
    run(trial.finish("ROPE", inputs, attributes_of(capture), capture.tensor("output"), tolerance));
  }
  EXPECT_GE(furthest, 8192);
}

}  // namespace
}  // namespace tenon::conform
