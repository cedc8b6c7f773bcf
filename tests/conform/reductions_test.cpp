// MUL_MAT and RMS_NORM against real ggml.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker next_row("E1_weights_of_the_next_row", "each output takes the next row of the weights");
const test::Breaker other_epsilon("E1_other_epsilon", "epsilon is ten times as large");

op::HostTensor rotated_rows(op::HostTensor tensor) {
  const auto row = static_cast<std::ptrdiff_t>(tensor.bytes.size() / static_cast<size_t>(tensor.extents[0]));
  std::rotate(tensor.bytes.begin(), tensor.bytes.begin() + row, tensor.bytes.end());
  return tensor;
}

// Output element (h, t, n) is the sum over K of row t of head h of x and row n of the weights, whose head is
// shared by consecutive heads of x.
Tolerance product_tolerance(const op::HostTensor& w, const op::HostTensor& x) {
  const size_t outputs = static_cast<size_t>(w.extents[w.extents.size() - 2]);
  const size_t groups = w.extents.size() == 4 ? static_cast<size_t>(w.extents[1]) : 1;
  const size_t tokens = static_cast<size_t>(x.extents[2]);
  const size_t heads_per_group = static_cast<size_t>(x.extents[1]) / groups;
  return [=, of_x = row_norms(x), of_w = row_norms(w), terms = x.extents.back()](size_t place, double) {
    const size_t output = place % outputs, row = place / outputs;
    const size_t group = row / tokens / heads_per_group;
    return sum_tolerance(terms, of_x[row], of_w[group * outputs + output]);
  };
}

TEST(E1_Reductions, MulMat) {
  for (const std::string file : {"mul_mat", "mul_mat_types"}) {
    for (const OpCapture& capture : test::op_captures(file)) {
      const op::HostTensor x = capture.tensor("input.1");
      const op::HostTensor stored = capture.tensor("input.0", 2);
      const bool is_matrix = stored.extents.size() == 2;
      const op::HostTensor w = is_matrix ? stored : capture.tensor("input.0");
      TrialBuilder trial(file, capture);
      const Edge weights = is_matrix ? trial.weight(next_row.active() ? rotated_rows(w) : w) : trial.input(w);
      // The exact product of the dequantised weights, where ggml rounds x to multiply it with blocks.
      const bool rounds = capture.has_tensor("exact");
      Trial made = trial.finish("MUL_MAT", {weights, trial.input(x)}, {},
                                capture.tensor(rounds ? "exact" : "output"), product_tolerance(w, x));
      if (rounds) made.ggml = capture.tensor("output");
      made.kernels_round = is_block(w.element);
      run(made);
    }
  }
}

TEST(E1_Reductions, RmsNorm) {
  for (const OpCapture& capture : test::op_captures("rms_norm")) {
    const op::HostTensor x = capture.tensor("input.0");
    TrialBuilder trial("rms_norm", capture);
    const double epsilon = capture.number("epsilon") * (other_epsilon.active() ? 10 : 1);
    // The sum of K squares is off by 8 * 2^-24 sqrt(K) of itself at most, its root and the quotient by half
    // of that; the last rounding adds 2^-24.
    const double relative = sum_tolerance(x.extents.back(), 0.5, 1) + 0x1p-24;
    run(trial.finish("RMS_NORM", {trial.input(x)}, decoder::NormAttributes{epsilon}, capture.tensor("output"),
                     [=](size_t, double expected) { return relative * std::abs(expected); }));
  }
}

}  // namespace
}  // namespace tenon::conform
