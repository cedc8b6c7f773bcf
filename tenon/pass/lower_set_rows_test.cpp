#include "tenon/pass/lower_set_rows.h"

#include <gtest/gtest.h>

#include "tenon/ir/text.h"
#include "tenon/op/op.h"
#include "tenon/pass/prune.h"

namespace tenon::pass {
namespace {

std::string cache_model(std::string_view rows, std::string_view cache, std::string_view body) {
  return "model \"m\" {\n  %rows = Parameter() {name=\"rows\", type=" + std::string(rows) +
         "}\n  %index = Parameter() {name=\"index\", type=i64[1,1,1,T:token]}\n"
         "  %cache = Parameter() {name=\"cache\", type=" +
         std::string(cache) + ", role=cache}\n" + std::string(body) + "}\n";
}

// What the pass makes of the text, with its own text parsed again so that types need not be written.
void expect_lowered(const std::string& before, const std::string& after) {
  Result<ir::Model> model = ir::parse(before, op::all_schemas());
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto reports = ir::run_passes(*model, {lower_set_rows()}, ir::Stage::kConverted);
  ASSERT_TRUE(reports.ok()) << reports.error().message();
  EXPECT_TRUE(reports->at(0).changed);
  const Result<ir::Model> wanted = ir::parse(after, op::all_schemas());
  ASSERT_TRUE(wanted.ok()) << wanted.error().message();
  EXPECT_EQ(ir::print(*model), ir::print(*wanted));
}

TEST(LowerSetRows, WritesAlongTheSameAxis) {
  const char* const rows = "f16[1,T:token,2,4]";
  const char* const cache = "f16[1,KV:position,2,4]";
  expect_lowered(cache_model(rows, cache,
                             "  %w/SetRows = SetRows(%rows:0, %index:0, %cache:0) {axis=1}\n"
                             "  %out = Result(%w/SetRows:0) {name=\"out\"}\n"),
                 cache_model(rows, cache,
                             "  %w/ScatterUpdate = ScatterUpdate(%cache:0, %index:0, %rows:0) {axis=1}\n"
                             "  %out = Result(%w/ScatterUpdate:0) {name=\"out\"}\n"));
}

TEST(LowerSetRows, GivesFlattenedRowsTheCachesLayout) {
  const char* const rows = "f16[1,1,T:token,8]";
  const char* const cache = "f16[1,KV:position,2,4]";
  expect_lowered(cache_model(rows, cache,
                             "  %w/SetRows = SetRows(%rows:0, %index:0, %cache:0) {axis=1}\n"
                             "  %out = Result(%w/SetRows:0) {name=\"out\"}\n"),
                 cache_model(rows, cache,
                             "  %w/Reshape = Reshape(%rows:0) {target=[0,-1,2,4], special_zero=true}\n"
                             "  %w/ScatterUpdate = ScatterUpdate(%cache:0, %index:0, %w/Reshape:0) {axis=1}\n"
                             "  %out = Result(%w/ScatterUpdate:0) {name=\"out\"}\n"));
}

TEST(LowerSetRows, TakesWritesOfWritesToo) {
  const char* const rows = "f16[1,T:token,2,4]";
  const char* const cache = "f16[1,KV:position,2,4]";
  expect_lowered(
      cache_model(rows, cache,
                  "  %a/SetRows = SetRows(%rows:0, %index:0, %cache:0)\n"
                  "  %b/SetRows = SetRows(%rows:0, %index:0, %a/SetRows:0)\n"
                  "  %out = Result(%b/SetRows:0) {name=\"out\"}\n"),
      cache_model(rows, cache,
                  "  %a/ScatterUpdate = ScatterUpdate(%cache:0, %index:0, %rows:0) {axis=1}\n"
                  "  %b/ScatterUpdate = ScatterUpdate(%a/ScatterUpdate:0, %index:0, %rows:0) {axis=1}\n"
                  "  %out = Result(%b/ScatterUpdate:0) {name=\"out\"}\n"));
}

// [1, T, 2, 4] read as [1, 2, 4, T] would mix tokens.
TEST(LowerSetRows, RefusesRowsThatDoNotLieTokenByToken) {
  Result<ir::Model> model =
      ir::parse(cache_model("f16[1,T:token,2,4]", "f16[1,2,4,KV:position]",
                            "  %w/SetRows = SetRows(%rows:0, %index:0, %cache:0) {axis=3}\n"
                            "  %out = Result(%w/SetRows:0) {name=\"out\"}\n"),
                op::all_schemas());
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto reports = ir::run_passes(*model, {lower_set_rows()}, ir::Stage::kConverted);
  ASSERT_FALSE(reports.ok());
  EXPECT_NE(reports.error().message().find("SetRows 'w': wanted rows whose axes before the token axis"),
            std::string::npos)
      << reports.error().message();
}

TEST(Prune, TakesWhatNoResultNeedsAndLeavesTheInterface) {
  Result<ir::Model> model = ir::parse(cache_model("f16[1,T:token,2,4]", "f16[1,KV:position,2,4]",
                                                  "  %unread = Add(%rows:0, %rows:0)\n"
                                                  "  %kept = Add(%cache:0, %cache:0)\n"
                                                  "  %out = Result(%kept:0) {name=\"out\"}\n"),
                                      op::all_schemas());
  ASSERT_TRUE(model.ok()) << model.error().message();
  const auto reports = ir::run_passes(*model, {prune()}, ir::Stage::kConverted).value();
  EXPECT_TRUE(reports[0].changed);
  EXPECT_EQ(model->find("unread"), nullptr);
  EXPECT_NE(model->find("kept"), nullptr);
  EXPECT_EQ(model->parameters().size(), 3u);
}

}  // namespace
}  // namespace tenon::pass
