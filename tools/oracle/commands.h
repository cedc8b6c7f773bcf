// The subcommands of oracle. Each returns the exit status and throws on a bad call or an unreadable file.
#pragma once

#include <string>
#include <vector>

namespace tenon::oracle {

int run_capture(std::vector<std::string> arguments);
int run_compare(std::vector<std::string> arguments);

}  // namespace tenon::oracle
