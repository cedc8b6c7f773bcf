// oracle: what real ggml and llama.cpp compute, written to files that Tenon's tests compare with.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"

int main(int argc, char** argv) {
  using namespace tenon::oracle;
  struct Command {
    std::string_view name;
    const char* usage;
    int (*run)(std::vector<std::string> arguments);
  };
  static constexpr Command kCommands[] = {
      {"capture", "DIR [NAME…]", run_capture},
      {"compare", "DIR DIR", run_compare},
      {"logits",
       "MODEL --tokens T,… [--split N,…] [--kv f32|f16] [--flash-attention] [--exact MODEL] -o FILE",
       run_logits},
      {"samplers", "-o FILE.json", run_samplers},
      {"score", "MODEL --tokens-file FILE.npy [--chunk 512] [--kv f32|f16] [--flash-attention] -o DIR",
       run_score},
      {"tokenize", "MODEL TEXT [--count N] -o FILE.npy", run_tokenize},
      {"tokens", "MODEL INPUTS.json -o FILE.json", run_tokens},
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
    std::fprintf(stderr, "oracle %-9s %s\n", command.name.data(), command.usage);
  }
  return 2;
}
