#include "tenon/ir/pass_manager.h"

#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"

namespace tenon::ir {
namespace {

Model small_model() {
  return parse(R"(model "m" {
    %x = Parameter() {name="x", type=f32[1,1,T:token,8]}
    %y = Parameter() {name="y", type=f32[1,T:token,1,8]}
    %sum = Add(%x:0, %x:0)
    %r = Result(%sum:0) {name="r"}
  })",
               op::all_schemas())
      .value();
}

struct Trace {
  std::vector<std::string> ran;
  Pass pass(const std::string& name, bool changes = false) {
    return {name, [this, name, changes](Model&, PassContext&) -> Result<bool> {
              ran.push_back(name);
              return changes;
            }};
  }
};

// Makes the sum broadcast tokens against tokens.
const Pass kBreaks = {
    "breaks", [](Model& model, PassContext&) -> Result<bool> {
      TENON_RETURN_IF_ERROR(model.set_input(*model.find("sum"), 1, model.find("y")->output(0)));
      return true;
    }};

TEST(PassManager, RunsInOrderAndReports) {
  Trace trace;
  Model model = small_model();
  const auto reports =
      run_passes(model, {trace.pass("b"), trace.pass("a", true), trace.pass("c")}, Stage::kConverted);
  ASSERT_TRUE(reports.ok());
  EXPECT_EQ(trace.ran, (std::vector<std::string>{"b", "a", "c"}));
  ASSERT_EQ(reports->size(), 3u);
  EXPECT_EQ((*reports)[1].name, "a");
  EXPECT_TRUE((*reports)[1].changed);
  EXPECT_FALSE((*reports)[0].changed);
  EXPECT_FALSE((*reports)[0].skipped);
  EXPECT_GE((*reports)[0].milliseconds, 0.0);
}

TEST(PassManager, SwitchedOffByName) {
  Trace trace;
  Model model = small_model();
  std::vector<std::string> seen;
  PassOptions options;
  options.disabled = {"breaks"};
  options.after_each = [&](const PassReport& report, const Model&) {
    seen.push_back(report.name + (report.skipped ? " skipped" : ""));
  };
  ASSERT_TRUE(run_passes(model, {trace.pass("a"), kBreaks}, Stage::kConverted, options).ok());
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "breaks skipped"}));
}

TEST(PassManager, CollectsTheReasonsOfEachPass) {
  Model model = small_model();
  const Pass hesitant = {"hesitant", [](Model&, PassContext& context) -> Result<bool> {
                           context.explain("sum", "its inputs are one value");
                           return false;
                         }};
  Trace trace;
  const auto reports = run_passes(model, {hesitant, trace.pass("other")}, Stage::kConverted).value();
  ASSERT_EQ(reports[0].reasons.size(), 1u);
  EXPECT_EQ(reports[0].reasons[0].node, "sum");
  EXPECT_EQ(reports[0].reasons[0].text, "its inputs are one value");
  EXPECT_TRUE(reports[1].reasons.empty());
}

TEST(PassManager, AnErrorNamesThePassAndStops) {
  Trace trace;
  Model model = small_model();
  const Pass fails = {"fails", [](Model&, PassContext&) -> Result<bool> {
                        return Error{ErrorCode::kInvalidGraph, "node 'n'", "this", "that", ""};
                      }};
  const auto reports = run_passes(model, {fails, trace.pass("after")}, Stage::kConverted);
  ASSERT_FALSE(reports.ok());
  EXPECT_EQ(reports.error().where, "pass fails: node 'n'");
  EXPECT_TRUE(trace.ran.empty());
}

TEST(PassManager, VerifiesAfterEveryPass) {
  Trace trace;
  Model model = small_model();
  const auto reports = run_passes(model, {kBreaks, trace.pass("after")}, Stage::kConverted);
  ASSERT_FALSE(reports.ok());
  EXPECT_EQ(reports.error().where, "pass breaks: Add 'sum'");
  EXPECT_TRUE(trace.ran.empty());
}

TEST(PassManager, VerifiesWhenThereAreNoPasses) {
  Model model = small_model();
  EXPECT_TRUE(run_passes(model, {}, Stage::kConverted).ok());
  ASSERT_TRUE(model.set_input(*model.find("sum"), 1, model.find("y")->output(0)).ok());
  EXPECT_FALSE(run_passes(model, {}, Stage::kConverted).ok());
}

// SetRows may stand between passes, and not at the end.
TEST(PassManager, TheLastStageHoldsAfterTheLastPass) {
  const auto with_set_rows = [] {
    return parse(R"(model "m" {
      %cache = Parameter() {name="cache", type=f32[1,KV,2,4], role=cache}
      %rows = Parameter() {name="rows", type=f32[1,T,2,4]}
      %at = Parameter() {name="at", type=i64[1,1,1,T]}
      %written = SetRows(%rows:0, %at:0, %cache:0)
      %r = Result(%written:0) {name="cache"}
    })",
                 op::all_schemas())
        .value();
  };
  Trace trace;
  Model model = with_set_rows();
  EXPECT_TRUE(run_passes(model, {trace.pass("a")}, Stage::kTranslated).ok());
  EXPECT_FALSE(run_passes(model, {trace.pass("a")}, Stage::kConverted).ok());
}

}  // namespace
}  // namespace tenon::ir
