#include "tests/conform/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tenon/pass/pipeline.h"
#include "tenon/translate/cases.h"
#include "tests/conform/runtimes.h"
#include "tests/support/breaker.h"

namespace tenon::conform {

using decoder::Edge;

double table_tolerance(size_t, double expected) { return 2e-4 + 1e-3 * std::abs(expected); }
double element_tolerance(size_t, double expected) { return 1e-6 + 1e-5 * std::abs(expected); }

double sum_tolerance(int64_t terms, double norm_of_x, double norm_of_w) {
  return 8 * 0x1p-24 * std::sqrt(static_cast<double>(terms)) * norm_of_x * norm_of_w;
}

std::vector<double> row_norms(const op::HostTensor& tensor) {
  const std::vector<double> values = tensor.values();
  const std::ptrdiff_t width = tensor.extents.back();
  std::vector<double> out;
  for (auto row = values.begin(); row != values.end(); row += width) {
    out.push_back(std::sqrt(std::inner_product(row, row + width, row, 0.0)));
  }
  return out;
}

std::string type_text(const op::HostTensor& tensor) {
  TensorType type{tensor.element, {}};
  for (const int64_t extent : tensor.extents) type.axes.emplace_back(extent);
  return type.to_string();
}

TrialBuilder::TrialBuilder(std::string file, const test::OpCapture& capture) {
  trial_.file = std::move(file);
  trial_.capture = capture.name();
}

std::string TrialBuilder::next_name(const op::HostTensor& tensor) {
  std::string name = std::to_string(trial_.inputs.size());
  trial_.inputs[name] = tensor;
  return name;
}

Edge TrialBuilder::input(const op::HostTensor& tensor, std::string_view type, std::string value_symbol) {
  return trial_.decoder.input(next_name(tensor), type.empty() ? type_text(tensor) : std::string(type),
                              decoder::InputRole::kOther, std::move(value_symbol));
}

Edge TrialBuilder::weight(const op::HostTensor& tensor) {
  return trial_.decoder.weight("weight", type_text(tensor), tensor.bytes);
}

Edge TrialBuilder::cache(const op::HostTensor& tensor, std::string_view type) {
  return trial_.decoder.cache(next_name(tensor), type);
}

Edge TrialBuilder::mask(const op::HostTensor& tensor, decoder::Mask mask) {
  return trial_.decoder.mask(next_name(tensor), type_text(tensor), mask);
}

Trial TrialBuilder::finish(std::string_view op, std::vector<Edge> inputs, decoder::NodeAttributes attributes,
                           op::HostTensor expected, Tolerance tolerance, std::string_view type) {
  const Edge node = trial_.decoder.node(
      op, std::move(inputs), type.empty() ? type_text(expected) : std::string(type), std::move(attributes));
  return finish_at(node, std::move(expected), std::move(tolerance));
}

Trial TrialBuilder::finish_port(decoder::NodeView node, int port, op::HostTensor expected,
                                Tolerance tolerance) {
  const Edge edge = trial_.decoder.node(std::move(node));
  return finish_at({edge.node, port}, std::move(expected), std::move(tolerance));
}

Trial TrialBuilder::finish_at(Edge output, op::HostTensor expected, Tolerance tolerance) {
  trial_.decoder.output("out", output);
  trial_.expected = std::move(expected);
  trial_.tolerance = std::move(tolerance);
  return std::move(trial_);
}

namespace {

const test::Breaker kernel_fault("E1_first_element_of_kernels", "the CPU's first output element is off by 1");

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

std::string input_types(const decoder::Decoder& decoder, const decoder::NodeView& node) {
  std::string out;
  for (const Edge& edge : node.inputs) {
    out += (out.empty() ? "" : ",") + std::string(name(decoder.node(edge.node).outputs[0].element));
  }
  return out;
}

// Why `found` does not agree; notes the error that comes nearest to what is allowed.
std::string compare(const Trial& trial, std::vector<double> found, Comparison& record) {
  std::vector<double> expected = trial.expected.values();
  const bool by_element = record.runtime == kReference || !trial.kernels_round;
  if (trial.view) {
    found = trial.view(std::move(found));
    expected = trial.view(std::move(expected));
  }
  double nearest = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    const double error = found[i] == expected[i] ? 0 : std::abs(found[i] - expected[i]);  // infinities, too
    const double allowed = by_element ? trial.tolerance ? trial.tolerance(i, expected[i]) : 0
                                      : std::numeric_limits<double>::infinity();
    if (!(error <= allowed)) {
      return "at " + std::to_string(i) + ": " + std::to_string(found[i]) + " for " +
             std::to_string(expected[i]);
    }
    const double share = allowed > 0 ? error / allowed : 0;
    if (share < nearest || (share == nearest && error <= record.worst_error)) continue;
    nearest = share;
    record.worst_error = error;
    record.tolerance = allowed;
  }
  if (trial.ggml.bytes.empty()) return "";
  const double ours = squared_distance(found, expected);
  const double ggml = squared_distance(trial.ggml.values(), expected);
  record.squared_error_of_ggml = ours / ggml;
  if (ours <= 1.05 * ggml) return "";
  return "squared error " + std::to_string(ours) + ", ggml's " + std::to_string(ggml);
}

Outcome attempt_on(const std::string& runtime, const Trial& trial, const ir::Model& model,
                   Comparison comparison) {
  comparison.runtime = runtime;
  Result<RunResult> run = run_on(runtime, model, trial.inputs, trial.symbols);
  if (!run.ok()) return {std::move(comparison), run.error().message()};
  comparison.kernels = std::move(run->kernels);
  const op::HostTensor& result = run->outputs.at("out");
  if (result.element != trial.expected.element || result.extents != trial.expected.extents) {
    return {std::move(comparison), type_text(result) + " for " + type_text(trial.expected)};
  }
  std::vector<double> found = result.values();
  if (runtime != kReference && kernel_fault.active()) found.front() += 1;
  std::string failure = compare(trial, std::move(found), comparison);
  return {std::move(comparison), std::move(failure)};
}

}  // namespace

std::vector<Outcome> attempt(const Trial& trial, const test::EditedDecoder::Edit& edit) {
  const test::EditedDecoder decoder(
      trial.decoder, edit ? edit : [](decoder::NodeView&) {});
  const decoder::NodeView node = decoder.node(decoder.node_count() - 1);
  Comparison comparison;
  comparison.op = node.op;
  comparison.op_case = translate::case_of(node.attributes);
  comparison.capture = trial.file + "/" + trial.capture;
  comparison.type = input_types(decoder, node);
  comparison.revision = test::op_capture_revision(trial.file);

  const Result<ir::Model> model = pass::convert(decoder);
  if (!model.ok()) return {{std::move(comparison), model.error().message()}};
  std::vector<Outcome> out;
  for (const std::string& runtime : runtimes()) {
    out.push_back(attempt_on(runtime, trial, *model, comparison));
  }
  return out;
}

void run(const Trial& trial, const test::EditedDecoder::Edit& edit) {
  for (Outcome& outcome : attempt(trial, edit)) {
    EXPECT_EQ(outcome.failure, "") << outcome.comparison.op << " " << outcome.comparison.capture << " on "
                                   << outcome.comparison.runtime << " " << outcome.comparison.kernels;
    if (outcome.failure.empty()) comparisons().push_back(std::move(outcome.comparison));
  }
}

}  // namespace tenon::conform
