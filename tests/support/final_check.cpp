#include "tests/support/final_check.h"

#include <utility>

namespace tenon::test {

namespace {

using State = FinalCheckOutcome::State;

std::vector<std::pair<std::string, FinalCheck>>& registry() {
  static std::vector<std::pair<std::string, FinalCheck>> checks;
  return checks;
}

}  // namespace

void register_final_check(std::string name, FinalCheck check) {
  registry().emplace_back(std::move(name), std::move(check));
}

std::string_view name(State state) {
  switch (state) {
    case State::kPassed:
      return "passed";
    case State::kFailed:
      return "failed";
    case State::kOff:
      return "off";
  }
  return "";
}

std::vector<FinalCheckOutcome> run_final_checks(bool whole_run) {
  std::vector<FinalCheckOutcome> outcomes;
  for (const auto& [name, check] : registry()) {
    FinalCheckOutcome outcome{name, State::kOff, "a part of the tests was left out of this run\n"};
    if (whole_run) {
      outcome.report.clear();
      outcome.state = check(&outcome.report) ? State::kPassed : State::kFailed;
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace tenon::test
