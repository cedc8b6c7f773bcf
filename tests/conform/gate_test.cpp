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

Comparison compared(std::string op, std::string op_case) {
  Comparison out;
  out.op = std::move(op);
  out.op_case = std::move(op_case);
  return out;
}

TEST(E2_Gate, NamesEachOpAndCaseThatWasNotCompared) {
  std::vector<Comparison> record = {compared("ADD", ""), compared("ROPE", "normal")};
  if (blind.active()) record.push_back(compared("ROPE", "neox"));
  std::string report;
  EXPECT_FALSE(all_compared(kTable, record, &report));
  EXPECT_NE(report.find("not compared: ROPE.neox"), std::string::npos) << report;
  EXPECT_EQ(report.find("not compared: ADD"), std::string::npos) << report;

  record = {compared("ROPE", "normal"), compared("ROPE", "neox")};
  EXPECT_FALSE(all_compared(kTable, record, &report));
  EXPECT_NE(report.find("not compared: ADD"), std::string::npos) << report;

  record.push_back(compared("ADD", ""));
  EXPECT_TRUE(all_compared(kTable, record, &report)) << report;
}

TEST(E2_Gate, AnEmptyTableOrRecordIsNoPass) {
  std::string report;
  const std::vector<Comparison> record = {compared("ADD", "")};
  const std::span<const translate::TranslatorRow> table =
      blind.active() ? std::span(kTable).first(1) : std::span<const translate::TranslatorRow>();
  EXPECT_FALSE(all_compared(table, record, &report));
  EXPECT_FALSE(all_compared(kTable, {}, &report));
}

}  // namespace
}  // namespace tenon::conform
