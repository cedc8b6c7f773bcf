// The commands of the program. Each lives in a file of its own, adds its flags, and says what to do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "tenon/base/result.h"

namespace tenon::cli {

struct Command {
  CLI::App* flags;
  // Called when the command line chose this command. An error becomes one line on stderr and exit status 1;
  // one of code kCancelled gives the status alone. Throws CLI::ParseError for flags that only make sense
  // together: exit status 2.
  std::function<Status()> act;
};

Command add_run(CLI::App& program);
Command add_inspect(CLI::App& program);
Command add_logits(CLI::App& program);
Command add_bench(CLI::App& program);
Command add_perplexity(CLI::App& program);
Command add_synth(CLI::App& program);
Command add_quantize(CLI::App& program);

}  // namespace tenon::cli
