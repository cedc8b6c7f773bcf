#include "tests/conform/gate.h"

#include <gtest/gtest.h>

#include "tenon/translate/cases.h"
#include "tests/support/breaker.h"

namespace tenon::conform {
namespace {

const test::Breaker blind("E2_blind_record", "the record claims a comparison that never was");

constexpr translate::TranslatorRow kTable[] = {
    {"ADD", nullptr, translate::kOneCase},
    {"ROPE", nullptr, translate::kRopeCases},
};

const std::vector<std::string> kRuntimes = {"ref", "cpu a"};

Comparison compared(std::string op, std::string op_case, std::string runtime) {
  Comparison out;
  out.op = std::move(op);
  out.op_case = std::move(op_case);
  out.runtime = std::move(runtime);
  return out;
}

// On every runtime.
std::vector<Comparison> compared(const std::vector<std::pair<std::string, std::string>>& ops_and_cases) {
  std::vector<Comparison> out;
  for (const auto& [op, op_case] : ops_and_cases) {
    for (const std::string& runtime : kRuntimes) out.push_back(compared(op, op_case, runtime));
  }
  return out;
}

TEST(E2_Gate, NamesEachOpAndCaseThatWasNotCompared) {
  std::vector<Comparison> record = compared({{"ADD", ""}, {"ROPE", "normal"}, {"ROPE", "imrope"}});
  if (blind.active())
    record = compared({{"ADD", ""}, {"ROPE", "normal"}, {"ROPE", "neox"}, {"ROPE", "imrope"}});
  std::string report;
  EXPECT_FALSE(all_compared(kTable, record, kRuntimes, &report));
  EXPECT_NE(report.find("not compared: ROPE.neox on ref"), std::string::npos) << report;
  EXPECT_EQ(report.find("not compared: ADD"), std::string::npos) << report;

  record = compared({{"ROPE", "normal"}, {"ROPE", "neox"}, {"ROPE", "imrope"}});
  EXPECT_FALSE(all_compared(kTable, record, kRuntimes, &report));
  EXPECT_NE(report.find("not compared: ADD"), std::string::npos) << report;

  record = compared({{"ADD", ""}, {"ROPE", "normal"}, {"ROPE", "neox"}, {"ROPE", "imrope"}});
  EXPECT_TRUE(all_compared(kTable, record, kRuntimes, &report)) << report;
}

TEST(E2_Gate, NamesTheRuntimeOnWhichACaseWasNotCompared) {
  std::vector<Comparison> record = compared({{"ADD", ""}, {"ROPE", "normal"}, {"ROPE", "imrope"}});
  record.push_back(compared("ROPE", "neox", "ref"));
  if (blind.active()) record.push_back(compared("ROPE", "neox", "cpu a"));
  std::string report;
  EXPECT_FALSE(all_compared(kTable, record, kRuntimes, &report));
  EXPECT_NE(report.find("not compared: ROPE.neox on cpu a"), std::string::npos) << report;
  EXPECT_EQ(report.find("not compared: ROPE.neox on ref"), std::string::npos) << report;
}

TEST(E2_Gate, AnEmptyTableOrRecordIsNoPass) {
  std::string report;
  const std::vector<Comparison> record = compared({{"ADD", ""}});
  const std::span<const translate::TranslatorRow> table =
      blind.active() ? std::span(kTable).first(1) : std::span<const translate::TranslatorRow>();
  EXPECT_FALSE(all_compared(table, record, kRuntimes, &report));
  EXPECT_FALSE(all_compared(kTable, {}, kRuntimes, &report));
  EXPECT_FALSE(all_compared(std::span(kTable).first(1), record, {}, &report));
}

}  // namespace
}  // namespace tenon::conform
