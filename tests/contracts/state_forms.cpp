#include "tests/contracts/state_forms.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tenon/op/read_value.h"
#include "tenon/pass/pipeline.h"
#include "tests/conform/runtimes.h"

namespace tenon::contracts {

using op::HostTensor;

Result<ir::Model> try_convert(const decoder::Decoder& decoder, std::vector<ir::Pass> passes,
                              std::vector<ir::PassReport>* reports) {
  pass::ConvertOptions options;
  options.extensions = std::move(passes);
  return pass::convert(decoder, options, reports);
}

op::HostTensors StepByStep::run(op::HostTensors inputs) {
  inputs.merge(op::HostTensors(state_));
  Result<conform::RunResult> run = conform::run_on(runtime_, model_, inputs, {});
  if (!run.ok()) throw std::runtime_error(run.error().message());
  for (const ir::Node* node : model_.topological_order()) {
    if (!node->is("ReadValue")) continue;
    const std::string& id = node->attributes_as<op::ReadValueAttributes>().variable;
    state_.insert_or_assign(id, run->outputs.at(id));
  }
  for (auto& [name, tensor] : state_) {
    if (const auto written = run->outputs.find(name); written != run->outputs.end()) tensor = written->second;
  }
  return std::move(run->outputs);
}

void on_every_runtime(const std::function<void(const std::string&)>& test) {
  for (const std::string& runtime : conform::runtimes()) {
    SCOPED_TRACE(runtime);
    test(runtime);
  }
}

HostTensor f32(std::vector<int64_t> extents, const std::vector<double>& values) {
  return HostTensor::of(ElementType::kF32, std::move(extents), values);
}

HostTensor i32(std::vector<int64_t> extents, const std::vector<double>& values) {
  return HostTensor::of(ElementType::kI32, std::move(extents), values);
}

HostTensor i64(std::vector<int64_t> extents, const std::vector<double>& values) {
  return HostTensor::of(ElementType::kI64, std::move(extents), values);
}

std::vector<double> counted(int64_t count, int64_t first) {
  std::vector<double> out;
  for (int64_t i = first; i < first + count; ++i) out.push_back(static_cast<double>(i));
  return out;
}

HostTensor beams(const std::vector<double>& rows) { return i32({static_cast<int64_t>(rows.size())}, rows); }

op::HostTensors genai_inputs(int64_t sequences, const std::vector<double>& ids) {
  const int64_t tokens = static_cast<int64_t>(ids.size()) / sequences;
  std::vector<double> positions;
  for (int64_t s = 0; s < sequences; ++s) {
    for (const double p : counted(tokens)) positions.push_back(p);
  }
  return {{"input_ids", i64({sequences, tokens}, ids)},
          {"attention_mask", i64({sequences, tokens}, std::vector<double>(ids.size(), 1))},
          {"position_ids", i64({sequences, tokens}, positions)},
          {"beam_idx", beams(std::vector<double>(static_cast<size_t>(sequences)))}};
}

op::HostTensors paged_inputs(const std::vector<double>& ids) {
  const auto tokens = static_cast<int64_t>(ids.size());
  const auto cache = HostTensor::make(ElementType::kF32, {2, 2, 4, 8});
  return {{"input_ids", i64({tokens}, ids)},
          {"position_ids", i64({tokens}, counted(tokens))},
          {"past_lens", i32({1}, {0})},
          {"subsequence_begins", i32({2}, {0, static_cast<double>(tokens)})},
          {"block_indices", i32({2}, {1, 0})},
          {"block_indices_begins", i32({2}, {0, 2})},
          {"max_context_len", i32({}, {static_cast<double>(tokens)})},
          {"key_cache.0", cache},
          {"value_cache.0", cache}};
}

std::vector<std::string> typed_inputs(const ir::Model& model) {
  std::vector<std::string> out;
  for (const ir::Node* node : model.parameters()) {
    const auto& attributes = node->attributes_as<ir::ParameterAttributes>();
    std::string extents;
    for (const Dim& dim : attributes.type.dims()) extents += (extents.empty() ? "" : ",") + dim.to_string();
    out.push_back(attributes.name + " " + std::string(name(attributes.type.element)) + "[" + extents + "]");
  }
  return out;
}

std::string reasons(const std::vector<ir::PassReport>& reports, std::string_view pass) {
  std::string out;
  for (const ir::PassReport& report : reports) {
    if (report.name != pass) continue;
    for (const ir::Reason& reason : report.reasons) out += reason.node + ": " + reason.text + "\n";
  }
  return out;
}

void expect_error(const Result<ir::Model>& model, const std::vector<std::string>& parts) {
  ASSERT_FALSE(model.ok());
  for (const std::string& part : parts) {
    EXPECT_NE(model.error().message().find(part), std::string::npos)
        << part << " in " << model.error().message();
  }
}

}  // namespace tenon::contracts
