// tenon: reads the command line, runs one command, turns what became of it into an exit status.
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"

namespace {

using tenon::cli::Command;

constexpr int kGood = 0, kFailed = 1, kUsage = 2;

constexpr const char* kFooter =
    "Examples:\n"
    "  tenon run model.gguf -p \"Name three rivers.\"    one answer\n"
    "  tenon run model.gguf                            a chat, when started on a terminal\n"
    "  tenon inspect model.gguf                        what is in the file\n"
    "  tenon bench model.gguf -t 2                     how fast it is\n"
    "  tenon perplexity model.gguf -f text.txt         how well it foretells a text\n"
    "\n"
    "stdout carries the answer alone, stderr all else. Exit status: 0 good, 1 failed, 2 wrong usage.\n"
    "tenon COMMAND --help tells the flags of a command.";

int complain(const std::string& message, int status) {
  std::cerr << "tenon: " << tenon::printable(message) << '\n';
  return status;
}

int fail(const tenon::Error& error) {
  if (error.code == tenon::ErrorCode::kCancelled) return kFailed;
  return complain(error.message(), kFailed);
}

// As CLI11 wants them: last first. Its short flags are single letters, so llama-bench's -ub is spelled out.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> all(argv + 1, argv + argc);
  if (!all.empty() && all.front() == "bench") {
    for (std::string& argument : all) {
      if (argument == "-ub") argument = "--ubatch-size";
    }
  }
  return {all.rbegin(), all.rend()};
}

int print_help(CLI::App& program, const CLI::ParseError& request) {
  std::ostringstream text;
  program.exit(request, text, text);
  const tenon::Status written = tenon::cli::write_stdout(text.str());
  return written.ok() ? kGood : fail(written.error());
}

// CLI11 speaks of "At Most 1 required". "" when nothing was.
std::string given_too_often(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const int most = option->get_items_expected_max();  // 0: a flag, which may be repeated
    if (most > 0 && option->count() > static_cast<size_t>(most))
      return option->get_name(false, true) + ": wanted once, found " + std::to_string(option->count()) +
             " times";
  }
  return "";
}

int usage_error(CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return print_help(program, error);  // --help, --version
  std::string help = "tenon", message = error.what();
  for (const CLI::App* chosen : program.get_subcommands()) {
    help += " " + chosen->get_name();
    if (const std::string twice = given_too_often(*chosen); !twice.empty()) message = twice;
  }
  return complain(message + " (see " + help + " --help)", kUsage);
}

int run(CLI::App& program, int argc, char** argv) {
  const Command commands[] = {tenon::cli::add_run(program),        tenon::cli::add_inspect(program),
                              tenon::cli::add_logits(program),     tenon::cli::add_bench(program),
                              tenon::cli::add_perplexity(program), tenon::cli::add_synth(program),
                              tenon::cli::add_quantize(program)};
  program.parse(arguments(argc, argv));
  for (const Command& command : commands) {
    if (!command.flags->parsed()) continue;
    const tenon::Status status = command.act();
    return status.ok() ? kGood : fail(status.error());
  }
  throw CLI::RequiredError("one of the commands run, inspect, logits, bench, perplexity, synth and quantize");
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away is an error of write() like any other
  CLI::App program("Runs language models in GGUF files.", "tenon");
  program.require_subcommand(0, 1);
  program.set_version_flag("--version", "tenon " TENON_VERSION);
  program.footer(kFooter);
  try {
    return run(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error);
  } catch (const std::bad_alloc&) {
    return complain("memory: wanted more than there is (use a smaller context (-c) or a smaller model)",
                    kFailed);
  } catch (const std::exception& problem) {
    return complain(problem.what(), kFailed);
  }
}
