// Names of parameterised tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tenon::test {

// A fixture's name as GoogleTest takes it, which knows no hyphens.
inline std::string test_name(std::string_view fixture) {
  std::string name(fixture);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace tenon::test
