#include "cli/bench_versus.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "cli/child.h"
#include "cli/contest.h"
#include "cli/contest_report.h"
#include "cli/llama_bench.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace tenon::cli {

namespace {

constexpr size_t kShownLines = 6;

std::string joined(const std::set<int64_t>& numbers) {
  std::string out;
  for (const int64_t number : numbers) out += (out.empty() ? "" : ",") + std::to_string(number);
  return out.empty() ? "0" : out;
}

// The flags that both programs know, under the same names.
std::vector<std::string> common_flags(const VersusOptions& options, const std::vector<BenchTest>& tests) {
  std::set<int64_t> prompts, generated, depths;
  for (const BenchTest& test : tests) {
    if (test.prompt > 0) prompts.insert(test.prompt);
    if (test.generated > 0) generated.insert(test.generated);
    depths.insert(test.depth);
  }
  return {"-p",  joined(prompts),
          "-n",  joined(generated),
          "-d",  joined(depths),
          "-r",  "1",
          "-o",  "json",
          "-t",  std::to_string(options.flags.threads),
          "-ub", std::to_string(options.ubatch)};
}

class Versus {
 public:
  Versus(const VersusOptions& options, const std::vector<BenchTest>& tests, std::string llama_bench)
      : options_(options),
        tests_(tests),
        llama_bench_(std::move(llama_bench)),
        contest_(tests, std::size(kLlamaVariants)),
        peer_peak_memory_(std::size(kLlamaVariants)) {
    facts_.model = options.model;
    facts_.threads = options.flags.threads;
    facts_.ubatch = options.ubatch;
    facts_.kv_type = name(options.flags.kv_type);
    facts_.rounds_wanted = options.rounds;
    for (const LlamaVariant& variant : kLlamaVariants) facts_.peer_options.push_back(variant.name());
  }

  Status run_all() {
    std::vector<size_t> peers(std::size(kLlamaVariants));
    for (size_t i = 0; i < peers.size(); ++i) peers[i] = i;
    runs_ = static_cast<int64_t>(2 * peers.size()) * options_.rounds;
    for (; facts_.rounds < options_.rounds; ++facts_.rounds) {
      for (const size_t peer : peers) {
        TENON_RETURN_IF_ERROR(run_ours());
        TENON_RETURN_IF_ERROR(run_peer(peer));
      }
      peers = contest_.peers_worth_repeating();
      runs_ = run_ + static_cast<int64_t>(2 * peers.size()) * (options_.rounds - facts_.rounds - 1);
    }
    return {};
  }

  std::string report() {
    if (contest_.peer_rates(0, 0).empty()) return "";
    for (const size_t bytes : peer_peak_memory_) {
      if (bytes == 0) continue;
      facts_.peer_peak_memory =
          facts_.peer_peak_memory == 0 ? bytes : std::min(facts_.peer_peak_memory, bytes);
    }
    return options_.format == BenchFormat::kJson ? contest_json(facts_, contest_)
                                                 : contest_text(facts_, contest_);
  }

 private:
  // One run of one program, with progress; what it said as far as it is of use.
  Result<ChildOutcome> run(const std::string& program, const std::vector<std::string>& command,
                           const std::string& remedy) {
    progress_.show(printable(options_.model) + ": run " + std::to_string(++run_) + " of " +
                   std::to_string(runs_) + ", " + program);
    Result<ChildOutcome> outcome = run_child(command);
    progress_.clear();
    if (!outcome.ok() || outcome->status == 0) return outcome;
    const std::string said = outcome->err.empty() ? outcome->out : outcome->err;
    std::fprintf(stderr, "%s\n", last_lines(said, kShownLines).c_str());
    return Error{ErrorCode::kIo, program, "exit status 0",
                 std::to_string(outcome->status) + " (its last lines are above)", remedy};
  }

  Status run_ours() {
    std::vector<std::string> command = {std::filesystem::read_symlink("/proc/self/exe").string(), "bench",
                                        options_.model};
    for (const std::string& flag : common_flags(options_, tests_)) command.push_back(flag);
    for (const std::string& flag : options_.flags.command_line()) command.push_back(flag);
    TENON_ASSIGN(const ChildOutcome outcome, run("tenon", command, ""));
    TENON_ASSIGN(const BenchRun run, parse_bench_json("tenon bench", outcome.out));
    facts_.our_version = run.version;
    facts_.model_type = run.model_type;
    return contest_.add_ours(run);
  }

  Status run_peer(size_t peer) {
    const std::string type = name(options_.flags.kv_type);
    std::vector<std::string> command = {llama_bench_, "-m", options_.model, "-ctk", type, "-ctv", type};
    for (const std::string& flag : common_flags(options_, tests_)) command.push_back(flag);
    for (const std::string& flag : kLlamaVariants[peer].flags()) command.push_back(flag);
    const std::string program = "llama-bench " + facts_.peer_options[peer];
    TENON_ASSIGN(
        const ChildOutcome outcome,
        run(program, command, "give one that runs this file and knows these flags with --llama-bench"));
    TENON_ASSIGN(const BenchRun run, parse_bench_json(program, outcome.out));
    facts_.peer_version = run.version;
    peer_peak_memory_[peer] = std::max(peer_peak_memory_[peer], outcome.peak_memory);
    return contest_.add_peer(peer, run, program);
  }

  const VersusOptions& options_;
  const std::vector<BenchTest>& tests_;
  std::string llama_bench_;
  ProgressLine progress_;
  Contest contest_;
  ContestFacts facts_;
  std::vector<size_t> peer_peak_memory_;  // by peer; 0: had no run
  int64_t run_ = 0, runs_ = 0;
};

}  // namespace

Status bench_versus(const VersusOptions& options, const std::vector<BenchTest>& tests) {
  InterruptGuard guard;
  TENON_ASSIGN(std::string llama_bench, find_llama_bench(options.llama_bench));
  Versus versus(options, tests, std::move(llama_bench));
  const Status done = versus.run_all();
  TENON_RETURN_IF_ERROR(write_stdout(versus.report()));
  return done;
}

}  // namespace tenon::cli
