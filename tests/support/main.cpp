// The main function of every test binary: GoogleTest's, with breakers and final checks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tests/support/breaker.h"
#include "tests/support/final_check.h"

namespace {

using tenon::test::Breaker;
using tenon::test::FinalCheckOutcome;

// Runs the final checks when the last test is over: a failure here fails the process, and the JSON report
// tells each outcome, so that scripts/run_tests.py sees a check that was off.
class FinalChecks : public testing::Environment {
 public:
  void TearDown() override {
    const testing::UnitTest& run = *testing::UnitTest::GetInstance();
    const bool whole = run.test_to_run_count() == run.total_test_count();
    for (const FinalCheckOutcome& outcome : tenon::test::run_final_checks(whole)) {
      const std::string state(name(outcome.state));
      testing::Test::RecordProperty("final_check_" + outcome.name, state);
      std::cout << "[final check] " << outcome.name << ": " << state << '\n' << outcome.report << std::flush;
      if (outcome.state == FinalCheckOutcome::State::kFailed) ADD_FAILURE() << outcome.name << " failed";
    }
  }
};

bool is_declared(std::string_view name) {
  for (const Breaker* breaker : tenon::test::breakers()) {
    if (breaker->name() == name) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list_breakers") {
    for (const Breaker* breaker : tenon::test::breakers()) {
      std::cout << breaker->name() << '\t' << breaker->fault() << '\n';
    }
    return 0;
  }
  testing::InitGoogleMock(&argc, argv);
  if (const char* wanted = std::getenv("TENON_TEST_BREAKER"); wanted != nullptr && !is_declared(wanted)) {
    std::cerr << "TENON_TEST_BREAKER: this binary declares no breaker " << wanted
              << " (see --list_breakers)\n";
    return 2;
  }
  testing::AddGlobalTestEnvironment(new FinalChecks);
  return RUN_ALL_TESTS();
}
