// ADD, SUB, MUL, DIV, SCALE, CLAMP and SUM_ROWS against real ggml.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker add_for_mul("E1_add_for_mul", "MUL is computed as ADD");
const test::Breaker one_sided("E1_clamp_from_above_alone", "CLAMP has no lower end");
const test::Breaker no_bias("E1_scale_without_bias", "SCALE forgets its bias");

TEST(E1_Arithmetic, OfTwoInputs) {
  const std::pair<const char*, std::string_view> ops[] = {
      {"add", "ADD"}, {"sub", "SUB"}, {"mul", "MUL"}, {"div", "DIV"}};
  for (const auto& [file, op] : ops) {
    for (const OpCapture& capture : test::op_captures(file)) {
      TrialBuilder trial(file, capture);
      const Edge a = trial.input(capture.tensor("input.0"));
      const Edge b = trial.input(capture.tensor("input.1"));
      run(trial.finish(op == "MUL" && add_for_mul.active() ? "ADD" : op, {a, b}, {}, capture.tensor("output"),
                       element_tolerance));
    }
  }
}

TEST(E1_Arithmetic, Clamp) {
  for (const OpCapture& capture : test::op_captures("clamp")) {
    TrialBuilder trial("clamp", capture);
    const Edge x = trial.input(capture.tensor("input.0"));
    const double min = one_sided.active() ? -INFINITY : capture.number("min");
    run(trial.finish("CLAMP", {x}, decoder::ClampAttributes{min, capture.number("max")},
                     capture.tensor("output")));
  }
}

TEST(E1_Arithmetic, SumRows) {
  for (const OpCapture& capture : test::op_captures("sum_rows")) {
    const op::HostTensor x = capture.tensor("input.0");
    TrialBuilder trial("sum_rows", capture);
    const double ones = std::sqrt(static_cast<double>(x.extents.back()));  // the norm of the other factor
    const std::vector<double> norms = row_norms(x);
    run(trial.finish("SUM_ROWS", {trial.input(x)}, {}, capture.tensor("output"),
                     [=, terms = x.extents.back()](size_t place, double) {
                       return sum_tolerance(terms, norms[place], ones);
                     }));
  }
}

TEST(E1_Arithmetic, Scale) {
  for (const OpCapture& capture : test::op_captures("scale")) {
    TrialBuilder trial("scale", capture);
    const Edge x = trial.input(capture.tensor("input.0"));
    const double bias = no_bias.active() ? 0 : capture.number("bias");
    run(trial.finish("SCALE", {x}, decoder::ScaleAttributes{capture.number("scale"), bias},
                     capture.tensor("output"), element_tolerance));
  }
}

}  // namespace
}  // namespace tenon::conform
