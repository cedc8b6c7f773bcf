// Models in the text form on the CPU backend, held against the references.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tenon/cpu/backend.h"
#include "tenon/cpu/test_support.h"
#include "tenon/ir/text.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/op.h"
#include "tenon/quant/block_format.h"
#include "tenon/runtime/session.h"

namespace tenon::cpu {

inline constexpr int64_t kTableRows = 11;  // of the tables that ids point into
inline constexpr int64_t kCachedTokens = 20;

// Values that the test of a model needs: random floats; places in a cache, positions and ids that are in
// range.
class TestData {
 public:
  explicit TestData(int64_t tokens) : tokens_(tokens) {}

  SymbolValues symbols() const { return {{"T", tokens_}, {"KV", kCachedTokens}}; }

  std::vector<double> random(int64_t count) {
    std::uniform_real_distribution<double> uniform(-2, 2);
    std::vector<double> out(static_cast<size_t>(count));
    for (double& value : out) value = uniform(engine_);
    return out;
  }

  op::HostTensor input(const ir::ParameterAttributes& parameter) {
    std::vector<int64_t> extents;
    for (const Dim& dim : parameter.type.dims()) extents.push_back(dim.evaluate(symbols()));
    op::HostTensor out = op::HostTensor::make(parameter.type.element, extents);
    std::vector<double> values = random(out.element_count());
    for (size_t i = 0; i < values.size() && is_integer(out.element); ++i) {
      const auto step = static_cast<double>(kCachedTokens - tokens_) + static_cast<double>(i);
      if (parameter.role == ir::ParameterRole::kAttentionSize)
        values[i] = kCachedTokens;
      else if (parameter.role == ir::ParameterRole::kNone)
        values[i] = static_cast<double>(i * 7 % kTableRows);
      else
        values[i] = step;
    }
    return op::HostTensor::of(out.element, extents, values);
  }

  // Rows of the weight's type, drawn anew for each.
  Result<ir::ConstantData> weight(std::string_view, const TensorType& type) {
    const int64_t width = type.dim(-1).value(), count = type.element_count().value();
    const std::vector<double> values = random(count);
    const std::vector<float> floats(values.begin(), values.end());
    const auto bytes = std::make_shared<std::vector<std::byte>>(bytes_for(type.element, count));
    for (int64_t row = 0; row < count / width; ++row) {
      quant::block_format(type.element)
          .encode_row(floats.data() + row * width, bytes->data() + bytes_for(type.element, row * width),
                      width);
    }
    return ir::ConstantData{bytes, bytes->data(), bytes->size()};
  }

 private:
  int64_t tokens_;
  std::mt19937 engine_{1};
};

struct TestModel {
  ir::Model graph;
  op::HostTensors inputs;
};

inline TestModel test_model(const std::string& body, int64_t tokens) {
  TestData data(tokens);
  ir::Model graph =
      ir::parse(
          "model \"m\" {\n  symbol T in [1, 16]\n  symbol KV in [1, 32]\n"
          "  %tokens = Parameter() {name=\"tokens\", type=i32[1,1,1,T:token], role=tokens}\n" +
              body + "\n}",
          op::all_schemas(),
          [&](std::string_view name, const TensorType& type) { return data.weight(name, type); })
          .value();
  TestModel out{std::move(graph), {}};
  for (const ir::Node* node : out.graph.parameters()) {
    const auto& parameter = node->attributes_as<ir::ParameterAttributes>();
    out.inputs[parameter.name] = data.input(parameter);
  }
  return out;
}

inline std::shared_ptr<const plan::Plan> plan_for(runtime::Backend& backend, const ir::Model& graph) {
  plan::PlanOptions options;
  options.workers = backend.workers();
  return plan::make_plan(graph, backend.target(), options).value();
}

// One run; `outputs` by name. Inputs are copied first: caches are written in place.
inline Status run_plan(const std::shared_ptr<runtime::Backend>& backend,
                       const std::shared_ptr<const plan::Plan>& plan, int64_t tokens, op::HostTensors inputs,
                       op::HostTensors& outputs) {
  const std::unique_ptr<runtime::Session> session = runtime::Session::create(backend, plan).value();
  for (auto& [name, tensor] : inputs) {
    TENON_RETURN_IF_ERROR(session->bind_input(name, tensor.bytes.data(), tensor.bytes.size()));
  }
  for (const plan::OutputBinding& output : plan->outputs) {
    std::vector<int64_t> extents;
    for (const Dim& dim : output.type.dims()) extents.push_back(dim.evaluate(TestData(tokens).symbols()));
    op::HostTensor& tensor = outputs[output.name] = op::HostTensor::make(output.type.element, extents);
    if (output.in_place) continue;
    TENON_RETURN_IF_ERROR(session->bind_output(output.name, tensor.bytes.data(), tensor.bytes.size()));
  }
  const runtime::SymbolValue symbols[] = {{"T", tokens}, {"KV", kCachedTokens}};
  TENON_RETURN_IF_ERROR(session->run(symbols));
  for (const plan::OutputBinding& output : plan->outputs) {
    if (output.in_place) outputs[output.name] = inputs.at(output.name);
  }
  return {};
}

inline std::vector<std::string> rows_of(const plan::StepList& list) {
  std::vector<std::string> out;
  for (const plan::Step& step : list.steps) out.emplace_back(step.row);
  return out;
}

}  // namespace tenon::cpu
