// Every environment variable that Tenon reads, in one list (environment.cpp). Nothing else calls getenv.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon {

// The variable's value now, or nullopt when unset. Throws std::logic_error for a name that is not in the
// list.
std::optional<std::string> environment(std::string_view name);

}  // namespace tenon
