// Activation functions against real ggml.
#include <gtest/gtest.h>

#include <functional>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker wrong_gelu("E1_gelu_for_gelu_quick", "GELU_QUICK is computed as GELU");
const test::Breaker swapped_halves("E1_swiglu_gate_is_up", "the halves of SWIGLU trade places");
const test::Breaker no_limit("E1_swiglu_oai_without_limit", "SWIGLU_OAI clamps nothing");

struct Activation {
  const char* op;
  const char* file;
  Tolerance tolerance;
};

std::vector<Activation> activations() {
  return {{"GELU", "gelu", table_tolerance},
          {"GELU_ERF", "gelu_erf", element_tolerance},
          {"GELU_QUICK", "gelu_quick", table_tolerance},
          {"SIGMOID", "sigmoid", element_tolerance},
          {"SILU", "silu", element_tolerance},
          {"SOFTPLUS", "softplus", element_tolerance},
          {"TANH", "tanh", element_tolerance}};
}

Trial unary(const Activation& activation, const OpCapture& capture) {
  TrialBuilder trial(activation.file, capture);
  const Edge x = trial.input(capture.tensor("input.0"));
  return trial.finish(activation.op, {x}, {}, capture.tensor("output"), activation.tolerance);
}

test::EditedDecoder::Edit replace_op(std::string_view from, std::string_view to) {
  return [=](decoder::NodeView& node) {
    if (node.op == from) node.op = to;
  };
}

TEST(E1_Activations, OfOneInput) {
  for (const Activation& activation : activations()) {
    for (const OpCapture& capture : test::op_captures(activation.file)) {
      ASSERT_GE(capture.tensor("input.0").element_count(), 128);
      run(unary(activation, capture), wrong_gelu.active() ? replace_op("GELU_QUICK", "GELU") : nullptr);
    }
  }
}

TEST(E1_Activations, NoneStandsForAnother) {
  for (const Activation& activation : activations()) {
    const Trial trial = unary(activation, test::op_captures(activation.file).front());
    for (const Activation& other : activations()) {
      const bool same = std::string_view(other.op) == activation.op;
      const std::string_view taken = wrong_gelu.active() ? activation.op : other.op;
      for (const Outcome& outcome : attempt(trial, replace_op(activation.op, taken))) {
        EXPECT_EQ(outcome.failure.empty(), same)
            << other.op << " in the place of " << activation.op << " on " << outcome.comparison.runtime;
      }
    }
  }
}

// Rows of two halves.
op::HostTensor side_by_side(const op::HostTensor& left, const op::HostTensor& right) {
  const auto width = static_cast<std::ptrdiff_t>(left.extents.back());
  const std::vector<double> a = left.values(), b = right.values();
  std::vector<double> values;
  for (auto i = a.begin(), k = b.begin(); i != a.end(); i += width, k += width) {
    values.insert(values.end(), i, i + width);
    values.insert(values.end(), k, k + width);
  }
  std::vector<int64_t> extents = left.extents;
  extents.back() *= 2;
  return op::HostTensor::of(left.element, extents, values);
}

using GluNode = std::function<decoder::NodeAttributes(decoder::GluAttributes operands)>;

void run_gated(
    const char* op, const char* file, const OpCapture& capture, const Tolerance& tolerance,
    const GluNode& attributes = [](decoder::GluAttributes operands) { return operands; }) {
  const op::HostTensor gate = capture.tensor("input.0"), up = capture.tensor("input.1");
  const op::HostTensor expected = capture.tensor("output");
  TrialBuilder split(file, capture);
  run(split.finish(op, {split.input(gate), split.input(up)}, attributes({}), expected, tolerance));
  for (const bool swapped : {false, true}) {
    TrialBuilder halves(file, capture);
    const Edge x = halves.input(swapped ? side_by_side(up, gate) : side_by_side(gate, up));
    const bool told = swapped_halves.active() ? !swapped : swapped;
    run(halves.finish(op, {x}, attributes({false, told}), expected, tolerance));
  }
}

TEST(E1_Activations, Swiglu) {
  for (const OpCapture& capture : test::op_captures("swiglu"))
    run_gated("SWIGLU", "swiglu", capture, element_tolerance);
}

TEST(E1_Activations, SwigluOai) {
  for (const OpCapture& capture : test::op_captures("swiglu_oai")) {
    const double alpha = capture.number("alpha");
    const double limit = no_limit.active() ? 100 : capture.number("limit");
    run_gated("SWIGLU_OAI", "swiglu_oai", capture, element_tolerance, [=](decoder::GluAttributes operands) {
      return decoder::GluOaiAttributes{operands, alpha, limit};
    });
  }
}

// The table's tolerance is that of gelu(gate), which is multiplied by up.
TEST(E1_Activations, Geglu) {
  for (const OpCapture& capture : test::op_captures("geglu")) {
    const std::vector<double> up = capture.tensor("input.1").values();
    run_gated("GEGLU", "geglu", capture, [&](size_t place, double expected) {
      return std::abs(up[place]) * table_tolerance(place, 0) + 1e-3 * std::abs(expected);
    });
  }
}

}  // namespace
}  // namespace tenon::conform
