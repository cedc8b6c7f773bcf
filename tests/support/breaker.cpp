#include "tests/support/breaker.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

namespace tenon::test {

namespace {

std::map<std::string_view, const Breaker*>& registry() {
  static std::map<std::string_view, const Breaker*> by_name;
  return by_name;
}

}  // namespace

Breaker::Breaker(std::string_view name, std::string_view fault) : name_(name), fault_(fault) {
  if (!registry().emplace(name, this).second) {
    throw std::logic_error("[Breaker] declared twice: " + std::string(name));
  }
}

Breaker::~Breaker() { registry().erase(name_); }

bool Breaker::active() const {
  const char* wanted = std::getenv("TENON_TEST_BREAKER");
  if (wanted == nullptr || wanted != name_) return false;
  testing::Test::RecordProperty("breaker", std::string(name_));
  return true;
}

std::vector<const Breaker*> breakers() {
  std::vector<const Breaker*> sorted;
  for (const auto& [name, breaker] : registry()) sorted.push_back(breaker);
  return sorted;
}

}  // namespace tenon::test
