// S3 to S14, S18, S20: the stateful form of cache writes.
#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/concat.h"
#include "tenon/op/evaluate.h"
#include "tenon/op/gather.h"
#include "tenon/op/read_value.h"
#include "tenon/pass/lower_set_rows.h"
#include "tenon/pass/pipeline.h"
#include "tenon/pass/state/stateful.h"
#include "tests/contracts/hand_graphs.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

using pass::make_stateful;
using pass::StatefulOptions;

Result<ir::Model> converted(const decoder::Decoder& decoder, std::vector<ir::Pass> passes,
                            std::vector<ir::PassReport>* reports = nullptr) {
  pass::ConvertOptions options;
  options.extensions = std::move(passes);
  return pass::convert(decoder, options, reports);
}

op::HostTensor f32(std::vector<int64_t> extents, const std::vector<double>& values) {
  return op::HostTensor::of(ElementType::kF32, std::move(extents), values);
}

std::vector<double> numbers(int64_t count, double first) {
  std::vector<double> out;
  for (int64_t i = 0; i < count; ++i) out.push_back(first + static_cast<double>(i));
  return out;
}

op::HostTensor beam(const std::vector<double>& rows) {
  return op::HostTensor::of(ElementType::kI32, {static_cast<int64_t>(rows.size())}, rows);
}

// ---- S4 ----

const test::Breaker no_beam("S4_no_beam_gather", "the Gather by beam_idx is taken out");
const test::Breaker not_assigned("S4_assign_of_the_past",
                                 "Assign takes what was read, not what was appended");

ir::Pass put_s4_faults_in() {
  return {"faults", [](ir::Model& model, ir::PassContext&) -> Result<bool> {
            ir::Node* const gather = find_op(model, "Gather");
            if (no_beam.active())
              TENON_RETURN_IF_ERROR(model.replace_uses(gather->output(0), gather->input(0)));
            if (not_assigned.active())
              TENON_RETURN_IF_ERROR(model.set_input(*find_op(model, "Assign"), 0, gather->output(0)));
            return no_beam.active() || not_assigned.active();
          }};
}

TEST(S4_MakeStateful, TurnsTheCacheIntoAVariable) {
  const auto graph = one_cache();
  const ir::Model model = converted(graph, {make_stateful(), put_s4_faults_in()}).value();
  const std::pair<const char*, int> counts[] = {{"ReadValue", 1},     {"Assign", 1}, {"Gather", 1},
                                                {"Concat", 1},        {"Result", 0}, {"SetRows", 0},
                                                {"ScatterUpdate", 0}, {"Reshape", 0}};
  for (const auto& [op, count] : counts) EXPECT_EQ(model.count(op), count) << op;
  EXPECT_EQ(input_names(model), (std::vector<std::string>{"data", "index", "beam_idx"}));

  ASSERT_EQ(model.count("Gather") + model.count("Concat"), 2);
  const ir::Node& read = *find_op(model, "ReadValue");
  EXPECT_TRUE(read.input(0).node().is("Constant"));
  EXPECT_EQ(read.attributes_as<op::ReadValueAttributes>().variable, "cache");
  EXPECT_EQ(read.port_type(0).element, ElementType::kF16);
  EXPECT_EQ(read.port_type(0).to_string(), "f16[1,KV-T:position,2:head,4:head_size]");
  ir::Node* const gather = find_op(model, "Gather");
  ASSERT_EQ(gather->input(0), const_cast<ir::Node&>(read).output(0));
  EXPECT_EQ(gather->attributes_as<op::GatherAttributes>().axis, 0);
  const ir::Node& beam_idx = gather->input(1).node();
  EXPECT_EQ(&beam_idx, model.find_parameter("beam_idx"));
  EXPECT_EQ(beam_idx.port_type(0).to_string(), "i32[B:batch]");
  ir::Node* const concat = find_op(model, "Concat");
  EXPECT_EQ(concat->input(0), gather->output(0));
  EXPECT_EQ(concat->attributes_as<op::ConcatAttributes>().axis, 1);
  EXPECT_EQ(find_op(model, "Assign")->input(0), concat->output(0));
  EXPECT_TRUE(model.find_parameter("index")->attributes_as<ir::ParameterAttributes>().unused);
}

TEST(S4_MakeStateful, AppendsStepAfterStep) {
  const ir::Model model = converted(one_cache(), {make_stateful(), put_s4_faults_in()}).value();
  op::HostTensors variables;
  std::vector<double> expected;
  for (const int64_t tokens : {3, 2, 1}) {
    const std::vector<double> rows = numbers(tokens * 8, 100.0 * static_cast<double>(tokens));
    expected.insert(expected.end(), rows.begin(), rows.end());
    op::HostTensors inputs = variables;
    inputs["data"] = f32({1, tokens, 2, 4}, rows);
    inputs["index"] = op::HostTensor::make(ElementType::kI64, {1, 1, 1, tokens});
    inputs["beam_idx"] = beam({0});
    variables = op::evaluate(model, inputs).value();
    EXPECT_EQ(variables.at("cache").values(), expected);
  }
}

}  // namespace
}  // namespace tenon::contracts
