// S2, S19: the stateless form of a cache write, and SetRows, from which every other form is made.
#include <gtest/gtest.h>

#include "tenon/op/evaluate.h"
#include "tenon/op/scatter_update.h"
#include "tenon/pass/lower_set_rows.h"
#include "tenon/pass/pipeline.h"
#include "tenon/plan/plan.h"
#include "tenon/translate/convert.h"
#include "tests/contracts/hand_graphs.h"
#include "tests/contracts/model_queries.h"
#include "tests/support/breaker.h"

namespace tenon::contracts {
namespace {

const test::Breaker beam_input("S2_beam_idx", "the stateless model has an input beam_idx");
const test::Breaker not_written("S2_result_before_the_write", "the cache is returned as it came in");
const test::Breaker lowered("S19_lowered_before", "the fixture's SetRows is lowered before it is looked at");

ir::Pass put_faults_in() {
  return {"faults", [](ir::Model& model, ir::PassContext&) -> Result<bool> {
            if (beam_input.active()) {
              ir::ParameterAttributes beam;
              beam.name = "beam_idx";
              beam.type = {ElementType::kI32, {Dim::symbol("B")}};
              TENON_ASSIGN(const ir::Value added, model.add_parameter(std::move(beam)));
              return static_cast<bool>(added);
            }
            if (not_written.active()) {
              TENON_RETURN_IF_ERROR(model.set_input(*model.find_result("cache_out"), 0,
                                                    model.find_parameter("cache")->output(0)));
            }
            return not_written.active();
          }};
}

ir::Model converted_one_cache() {
  pass::ConvertOptions options;
  options.extensions.push_back(put_faults_in());
  return pass::convert(one_cache(), options).value();
}

TEST(S2_OneCache, IsOneScatterUpdateOnTheTokenAxis) {
  const ir::Model model = converted_one_cache();
  for (const char* const op : {"ReadValue", "Assign", "SetRows", "Gather", "Concat"})
    EXPECT_EQ(model.count(op), 0) << op;
  EXPECT_EQ(model.count("ScatterUpdate"), 1);
  EXPECT_EQ(input_names(model), (std::vector<std::string>{"data", "index", "cache"}));
  ASSERT_EQ(model.results().size(), 1u);
  const ir::Value returned = model.results()[0]->input(0);
  EXPECT_EQ(returned.type(), model.find_parameter("cache")->port_type(0));
  ASSERT_TRUE(returned.node().is("ScatterUpdate"));
  EXPECT_EQ(returned.node().attributes_as<op::ScatterUpdateAttributes>().axis, 1);
}

// Cells of a token's rows, told apart by token and place; exact in f16.
std::vector<double> cells(int64_t tokens, double first) {
  std::vector<double> out;
  for (int64_t i = 0; i < tokens * 8; ++i) out.push_back(first + static_cast<double>(i));
  return out;
}

TEST(S2_OneCache, WritesTheNamedRowsAndNoOther) {
  const ir::Model model = converted_one_cache();
  constexpr int64_t kRows = 9;
  std::vector<double> expected = cells(kRows, -500);
  op::HostTensor cache = op::HostTensor::of(ElementType::kF16, {1, kRows, 2, 4}, expected);
  const std::vector<std::vector<double>> steps = {{4, 0, 7},
                                                  {5, 7, 1}};  // the second overwrites a row of the first
  for (size_t step = 0; step < steps.size(); ++step) {
    const std::vector<double> rows = cells(3, 100 * static_cast<double>(step + 1));
    for (size_t t = 0; t < 3; ++t) {
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(8 * t), 8,
                  expected.begin() + static_cast<std::ptrdiff_t>(8 * steps[step][t]));
    }
    const auto outputs =
        op::evaluate(model, {{"data", op::HostTensor::of(ElementType::kF32, {1, 3, 2, 4}, rows)},
                             {"index", op::HostTensor::of(ElementType::kI64, {1, 1, 1, 3}, steps[step])},
                             {"cache", cache}});
    ASSERT_TRUE(outputs.ok()) << outputs.error().message();
    cache = outputs->at("cache_out");
    EXPECT_EQ(cache.values(), expected) << "after step " << step;
  }
}

ir::Model translated_one_cache() {
  ir::Model model = translate::translate(one_cache()).value();
  ir::PassContext context;
  if (lowered.active()) {
    EXPECT_TRUE(pass::lower_set_rows().run(model, context).ok());
  }
  return model;
}

TEST(S19_SetRows, TakesRowsOfTheCachesTypeThenIndexThenCache) {
  const ir::Model model = translated_one_cache();
  ir::Node* const write = find_op(model, "SetRows");
  ASSERT_NE(write, nullptr);
  ASSERT_EQ(write->input_count(), 3);
  EXPECT_EQ(write->input(0).type().element, ElementType::kF16);
  EXPECT_TRUE(write->input(0).node().is("Convert"));
  EXPECT_EQ(write->input(1), model.find_parameter("index")->output(0));
  EXPECT_EQ(write->input(2), model.find_parameter("cache")->output(0));
  EXPECT_EQ(write->port_type(0), model.find_parameter("cache")->port_type(0));
}

TEST(S19_SetRows, IsRefusedByNameAfterConversion) {
  const ir::Model model = translated_one_cache();
  const Status verified = ir::verify(model, ir::Stage::kConverted);
  ASSERT_FALSE(verified.ok());
  EXPECT_NE(verified.error().message().find("SetRows 'SET_ROWS.3/SetRows'"), std::string::npos)
      << verified.error().message();

  plan::Target target;
  target.rows.push_back({.id = "anything", .pattern = "*"});
  const auto plan = plan::make_plan(model, target, {});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message().find("SetRows 'SET_ROWS.3/SetRows'"), std::string::npos)
      << plan.error().message();
}

TEST(S19_SetRows, SurvivesNoConversion) {
  pass::ConvertOptions options;
  if (lowered.active()) options.extensions.push_back(pass::lower_set_rows());
  if (!lowered.active()) options.passes.disabled.insert("lower_set_rows");
  const auto model = pass::convert(one_cache(), options);
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message().find("SetRows"), std::string::npos) << model.error().message();
}

}  // namespace
}  // namespace tenon::contracts
