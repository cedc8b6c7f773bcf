#include "tenon/pass/pipeline.h"

#include <gtest/gtest.h>

#include "tests/contracts/hand_graphs.h"

namespace tenon::pass {
namespace {

// Notes how many SetRows it saw, and adds nothing.
ir::Pass look(std::string name, std::vector<std::string>& seen) {
  return {name, [name, &seen](ir::Model& model, ir::PassContext&) -> Result<bool> {
            seen.push_back(name + " " + std::to_string(model.count("SetRows")));
            return false;
          }};
}

TEST(Pipeline, CallersPassesComeFirstAndInOrder) {
  std::vector<std::string> seen;
  ConvertOptions options;
  options.extensions = {look("first", seen), look("second", seen)};
  std::vector<ir::PassReport> reports;
  const Result<ir::Model> model = convert(contracts::attention_layer(), options, &reports);
  ASSERT_TRUE(model.ok()) << model.error().message();
  EXPECT_EQ(seen, (std::vector<std::string>{"first 2", "second 2"}));
  std::vector<std::string> names;
  for (const ir::PassReport& report : reports) names.push_back(report.name);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "lower_set_rows", "prune"}));
  EXPECT_EQ(model->count("SetRows"), 0);
}

TEST(Pipeline, AnErrorNamesThePass) {
  ConvertOptions options;
  options.extensions = {{"broken", [](ir::Model&, ir::PassContext&) -> Result<bool> {
                           return Error{ErrorCode::kInvalidGraph, "here", "this", "that", ""};
                         }}};
  const Result<ir::Model> model = convert(contracts::one_cache(), options);
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().message(), "pass broken: here: wanted this, found that");
}

}  // namespace
}  // namespace tenon::pass
