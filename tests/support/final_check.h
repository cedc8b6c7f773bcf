// Checks on a whole test run, made after its last test: what the tests recorded is compared with what they
// should have reached. A check that fails, fails the process.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::test {

// Returns whether the check passed and writes what it found (lines of text) to `report`.
using FinalCheck = std::function<bool(std::string* report)>;

// `name` is an identifier; it appears in the output and in the JSON report as final_check_<name>. Call it
// before RUN_ALL_TESTS (at namespace scope) or from a test.
void register_final_check(std::string name, FinalCheck check);

struct FinalCheckOutcome {
  enum class State { kPassed, kFailed, kOff };
  std::string name;
  State state;
  std::string report;
};

std::string_view name(FinalCheckOutcome::State state);  // "passed", "failed", "off"

// Runs every registered check, in order of registration. When the run was not whole (a filter, a shard, a
// disabled test) nothing can be said about what it should have reached: the checks are off, and their reports
// say so.
std::vector<FinalCheckOutcome> run_final_checks(bool whole_run);

}  // namespace tenon::test
