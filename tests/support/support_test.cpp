#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tests/support/breaker.h"
#include "tests/support/final_check.h"

namespace tenon::test {
namespace {

using State = FinalCheckOutcome::State;

// Passes, unless this process was started to see it fail.
constexpr const char* kFailVariable = "TENON_SUPPORT_TEST_FAILS";

bool own_check(std::string* report) {
  *report = "looked\n";
  return std::getenv(kFailVariable) == nullptr;
}

const bool registered = (register_final_check("support", own_check), true);

// Exit status of this binary with `environment` before it and `arguments` behind it.
int run_self(const std::string& environment, const std::string& arguments) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const int status = std::system((environment + " '" + self + "' " + arguments + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Breaker, IsActiveOnlyWhenNamed) {
  const Breaker first("X1_first", "a fault");
  const Breaker second("X1_second", "another fault");
  EXPECT_FALSE(first.active());
  setenv("TENON_TEST_BREAKER", "X1_second", 1);
  EXPECT_FALSE(first.active());
  EXPECT_TRUE(second.active());
  unsetenv("TENON_TEST_BREAKER");
  EXPECT_FALSE(second.active());
}

TEST(Breaker, IsListedByNameWhileItLives) {
  const size_t before = breakers().size();
  {
    const Breaker later("X2_b", "a fault");
    const Breaker earlier("X2_a", "a fault");
    ASSERT_EQ(breakers().size(), before + 2);
    EXPECT_LT(breakers()[before]->name(), breakers()[before + 1]->name());
    EXPECT_THROW(Breaker("X2_a", "declared twice"), std::logic_error);
  }
  EXPECT_EQ(breakers().size(), before);
}

TEST(Breaker, AnUnknownNameIsRefusedBeforeAnyTestRuns) {
  EXPECT_EQ(run_self("TENON_TEST_BREAKER=X9_unknown", ""), 2);
}

TEST(FinalCheck, IsOffWhenTestsWereLeftOut) {
  const auto outcomes = run_final_checks(false);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].name, "support");
  EXPECT_EQ(outcomes[0].state, State::kOff);
  EXPECT_NE(outcomes[0].report, "looked\n");
}

TEST(FinalCheck, FailsAProcessWhoseTestsPassed) {
  if (std::getenv(kFailVariable) != nullptr) {
    EXPECT_EQ(run_final_checks(true).at(0).state, State::kFailed);
    return;
  }
  EXPECT_EQ(run_final_checks(true).at(0).state, State::kPassed);
  EXPECT_EQ(run_self(std::string(kFailVariable) + "=1", ""), 1);
  EXPECT_EQ(run_self(std::string(kFailVariable) + "=1", "--gtest_filter=Breaker.IsActiveOnlyWhenNamed"), 0);
}

}  // namespace
}  // namespace tenon::test
