// oracle: what real ggml and llama.cpp compute, written to files that Tenon's tests compare with.
#include <cstdio>
#include <exception>
#include <string_view>

#include "commands.h"

int main(int argc, char** argv) {
  using namespace tenon::oracle;
  struct Command {
    std::string_view name;
    const char* usage;
    int (*run)(std::vector<std::string> arguments);
  };
  static constexpr Command kCommands[] = {
      {"capture", "DIR [NAME…]                      captures of single ops", run_capture},
      {"compare", "A B                              bit-for-bit comparison of two folders of captures",
       run_compare},
  };
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  for (const Command& command : kCommands) {
    if (command.name != wanted) continue;
    try {
      return command.run({argv + 2, argv + argc});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "oracle %s: %s\n", argv[1], error.what());
      return 1;
    }
  }
  for (const Command& command : kCommands) {
    std::fprintf(stderr, "oracle %-9s%s\n", command.name.data(), command.usage);
  }
  return 2;
}
