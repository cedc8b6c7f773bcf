// A breaker puts one fault into a contract's fixture, to show that the contract's test would notice it.
// docs/dev/contracts.md tells how a contract test and its breakers are written.
#pragma once

#include <string_view>
#include <vector>

namespace tenon::test {

class Breaker {
 public:
  // Declared once, at namespace scope of the test file. `name` is "<contract id>_<fault>"; `fault` says in a
  // few words what is put in. Both must be literals. Throws std::logic_error for a name that is declared
  // twice.
  Breaker(std::string_view name, std::string_view fault);
  ~Breaker();
  Breaker(const Breaker&) = delete;
  Breaker& operator=(const Breaker&) = delete;

  // True in the run that must fail by this fault: TENON_TEST_BREAKER names it. Noted on the running test, so
  // that `make contracts-bite` can tell a fault that a test never reached from one that it did not notice.
  bool active() const;

  std::string_view name() const { return name_; }
  std::string_view fault() const { return fault_; }

 private:
  std::string_view name_;
  std::string_view fault_;
};

// Those that this binary declares, sorted by name.
std::vector<const Breaker*> breakers();

}  // namespace tenon::test
