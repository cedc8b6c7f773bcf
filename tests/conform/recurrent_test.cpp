// SSM_CONV, SSM_SCAN and GATED_DELTA_NET against real ggml.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/conform/trial.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

using decoder::Edge;
using test::OpCapture;

const test::Breaker backwards("E1_convolution_backwards",
                              "the kernel's taps are read from the last to the first");
const test::Breaker next_group("E1_scan_of_the_next_group",
                               "heads of a scan read what the next group is to read");
const test::Breaker next_keys("E1_delta_keys_of_the_next_head",
                              "values are stored under the next head's keys");

double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::max(out, std::abs(value));
  return out;
}

// [B, T, G, D] with the next of the G in each place.
op::HostTensor next_of_axis_2(const op::HostTensor& x) {
  op::HostTensor out = x;
  const size_t plane = x.bytes.size() / static_cast<size_t>(x.extents[0] * x.extents[1]);
  const auto row = static_cast<std::ptrdiff_t>(plane / static_cast<size_t>(x.extents[2]));
  for (auto at = out.bytes.begin(); at != out.bytes.end(); at += static_cast<std::ptrdiff_t>(plane))
    std::rotate(at, at + row, at + static_cast<std::ptrdiff_t>(plane));
  return out;
}

// An output is the sum of the K products of a window and a channel's weights.
TEST(E1_Recurrent, SsmConv) {
  for (const OpCapture& capture : test::op_captures("ssm_conv")) {
    const op::HostTensor x = capture.tensor("input.0");
    op::HostTensor weight = capture.tensor("input.1", 2);
    const int64_t kernel = weight.extents[1];
    if (backwards.active()) {
      std::vector<double> taps = weight.values();
      for (auto row = taps.begin(); row != taps.end(); row += kernel) std::reverse(row, row + kernel);
      weight = op::HostTensor::of(weight.element, weight.extents, taps);
    }
    const double window = std::sqrt(static_cast<double>(kernel)) * largest(x.values());
    const double allowed = sum_tolerance(kernel, window, largest(row_norms(weight)));
    TrialBuilder trial("ssm_conv", capture);
    const std::vector<Edge> inputs = {trial.input(x), trial.input(weight)};
    op::HostTensor expected = capture.tensor("output");  // [1, S, T, C]
    run(trial.finish("SSM_CONV", inputs, {}, expected, [=](size_t, double) { return allowed; }));
  }
}

// ggml's one result: the outputs of all tokens, then the states.
struct ScanResults {
  op::HostTensor output, state;
};
ScanResults results_of(const OpCapture& capture, const std::vector<int64_t>& output,
                       const std::vector<int64_t>& state) {
  const std::vector<double> all = capture.tensor("output").values();
  ScanResults out{op::HostTensor::make(ElementType::kF32, output),
                  op::HostTensor::make(ElementType::kF32, state)};
  const auto split = all.begin() + out.output.element_count();
  out.output = op::HostTensor::of(ElementType::kF32, output, {all.begin(), split});
  out.state = op::HostTensor::of(ElementType::kF32, state, {split, all.end()});
  return out;
}

// A scan's output is a sum of products of a row of the state and a row `w`; what a step rounds in a state
// stays in it, so T steps add up like T + 1 terms of each product. The longest row is that of the states
// before, after, or of what a step adds.
struct ScanTolerance {
  double output, state;
};
ScanTolerance scan_tolerance(int64_t terms, int64_t tokens, double longest_row, double longest_w) {
  return {sum_tolerance(terms * (tokens + 1), longest_row, longest_w),
          sum_tolerance(tokens + 1, longest_row, 1)};
}

void run_both(const std::string& file, const OpCapture& capture, std::string_view op,
              const std::vector<op::HostTensor>& tensors, const ScanResults& expected,
              const ScanTolerance& allowed) {
  for (const int port : {0, 1}) {
    TrialBuilder trial(file, capture);
    decoder::NodeView node;
    node.op = op;
    for (const op::HostTensor& tensor : tensors) node.inputs.push_back(trial.input(tensor));
    for (const op::HostTensor* result : {&expected.output, &expected.state})
      node.outputs.push_back(TensorType::parse(type_text(*result)).value());
    const double limit = port == 0 ? allowed.output : allowed.state;
    run(trial.finish_port(std::move(node), port, port == 0 ? expected.output : expected.state,
                          [=](size_t, double) { return limit; }));
  }
}

TEST(E1_Recurrent, SsmScan) {
  for (const OpCapture& capture : test::op_captures("ssm_scan")) {
    std::vector<op::HostTensor> in = {capture.tensor("input.0"), capture.tensor("input.1"),
                                      capture.tensor("input.2"), capture.tensor("input.3", 2),
                                      capture.tensor("input.4"), capture.tensor("input.5")};
    const op::HostTensor &state = in[0], &x = in[1];
    const ScanResults expected = results_of(capture, x.extents, state.extents);
    const double added = largest(x.values()) * largest(in[2].values()) * largest(row_norms(in[4]));
    const double longest = std::max({largest(row_norms(state)), largest(row_norms(expected.state)), added});
    const ScanTolerance allowed =
        scan_tolerance(state.extents[3], x.extents[1], longest, largest(row_norms(in[5])));
    if (next_group.active()) in[4] = next_of_axis_2(in[4]);
    run_both("ssm_scan", capture, "SSM_SCAN", in, expected, allowed);
  }
}

TEST(E1_Recurrent, GatedDeltaNet) {
  for (const OpCapture& capture : test::op_captures("gated_delta_net")) {
    std::vector<op::HostTensor> in;
    for (int i = 0; i < 6; ++i) in.push_back(capture.tensor("input." + std::to_string(i)));
    const op::HostTensor &v = in[2], &state = in[5];
    const ScanResults expected = results_of(capture, v.extents, state.extents);
    const double added = largest(v.values()) * largest(row_norms(in[1]));
    const double longest = std::max({largest(row_norms(state)), largest(row_norms(expected.state)), added});
    // A row's change is itself a sum over the row, times a key: that many terms for the state, too.
    const int64_t size = v.extents[3];
    ScanTolerance allowed = scan_tolerance(size, v.extents[1], longest, largest(row_norms(in[1])));
    allowed.state += allowed.output * largest(in[1].values());
    allowed.output *= largest(row_norms(in[0])) / largest(row_norms(in[1]));
    if (next_keys.active()) in[1] = next_of_axis_2(in[1]);
    run_both("gated_delta_net", capture, "GATED_DELTA_NET", in, expected, allowed);
  }
}

}  // namespace
}  // namespace tenon::conform
