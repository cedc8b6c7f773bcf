// ADD, MUL and SCALE against real ggml.
#include <gtest/gtest.h>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker add_for_mul("E1_add_for_mul", "MUL is computed as ADD");
const test::Breaker no_bias("E1_scale_without_bias", "SCALE forgets its bias");

TEST(E1_Arithmetic, AddAndMul) {
  for (const char* const file : {"add", "mul"}) {
    for (const OpCapture& capture : test::op_captures(file)) {
      TrialBuilder trial(file, capture);
      const Edge a = trial.input(capture.tensor("input.0"));
      const Edge b = trial.input(capture.tensor("input.1"));
      const bool is_add = std::string_view(file) == "add" || add_for_mul.active();
      run(trial.finish(is_add ? "ADD" : "MUL", {a, b}, {}, capture.tensor("output"), element_tolerance));
    }
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
