// The only list of backends.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tenon/runtime/backend.h"

namespace tenon {

struct Device {
  std::string_view name;
  std::string_view description;
  bool stateless_kv;  // has a step that writes a cache in place
  // `deterministic`: a token's results do not depend on how many tokens share its step, either.
  Result<std::shared_ptr<runtime::Backend>> (*make)(int threads, bool deterministic);
};

// Sorted by name.
std::span<const Device> devices();
// An error lists those that there are.
Result<const Device*> find_device(std::string_view name);

// Cores that this process may run on.
int available_cores();

}  // namespace tenon
