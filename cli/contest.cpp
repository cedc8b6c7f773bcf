#include "cli/contest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tenon::cli {

namespace {

using Json = nlohmann::json;

constexpr double kNearTheBest = 0.9;

bool same(const BenchTest& a, const BenchTest& b) {
  return a.prompt == b.prompt && a.generated == b.generated && a.depth == b.depth;
}

BenchSample sample(const Json& row) {
  return {.test = {.prompt = row.at("n_prompt"), .generated = row.at("n_gen"), .depth = row.at("n_depth")},
          .rate = row.at("avg_ts"),
          .read_rate = row.value("read_gb_per_s", 0.0) * 1e9,
          .weight_bytes = row.value("weight_bytes_per_token", uint64_t{0}),
          .state_bytes = row.value("state_bytes", uint64_t{0}),
          .peak_memory = row.value("peak_memory_bytes", size_t{0})};
}

std::string version(const Json& row) {
  if (row.contains("tenon_version")) return row["tenon_version"];
  return row.value("build_commit", "unknown") + " (" + std::to_string(row.value("build_number", 0)) + ")";
}

// The sample of each test, in the tests' order.
Result<std::vector<BenchSample>> in_order(const std::vector<BenchTest>& tests, const BenchRun& run,
                                          const std::string& program) {
  std::vector<BenchSample> out;
  for (const BenchTest& test : tests) {
    const auto found =
        std::ranges::find_if(run.samples, [&](const BenchSample& one) { return same(one.test, test); });
    if (found == run.samples.end() || !(found->rate > 0)) {
      return Error{ErrorCode::kInvalidArgument, program, "a rate of " + test.name(), "none", ""};
    }
    out.push_back(*found);
  }
  return out;
}

}  // namespace

Result<BenchRun> parse_bench_json(const std::string& program, const std::string& text) {
  try {
    BenchRun run;
    for (const Json& row : Json::parse(text)) {
      run.version = version(row);
      run.model_type = row.value("model_type", "");
      run.samples.push_back(sample(row));
    }
    return run;
  } catch (const Json::exception& problem) {
    return Error{ErrorCode::kInvalidArgument, program, "the JSON of a benchmark", problem.what(), ""};
  }
}

uint64_t bytes_per_token(const BenchSample& sample) {
  const BenchTest& test = sample.test;
  const double share = (static_cast<double>(test.depth) + static_cast<double>(test.tokens()) / 2) /
                       static_cast<double>(test.depth + test.tokens());
  return sample.weight_bytes + static_cast<uint64_t>(static_cast<double>(sample.state_bytes) * share);
}

Contest::Contest(std::vector<BenchTest> tests, size_t peers)
    : tests_(std::move(tests)), ours_(tests_.size()), peers_(peers, Rates(tests_.size())) {}

Status Contest::add_ours(const BenchRun& run) {
  TENON_ASSIGN(latest_, in_order(tests_, run, "tenon bench"));
  for (size_t i = 0; i < latest_.size(); ++i) {
    ours_[i].push_back(latest_[i].rate);
    if (latest_[i].read_rate > 0) read_rates_.push_back(latest_[i].read_rate);
  }
  return {};
}

Status Contest::add_peer(size_t peer, const BenchRun& run, const std::string& program) {
  TENON_ASSIGN(const std::vector<BenchSample> samples, in_order(tests_, run, program));
  for (size_t i = 0; i < samples.size(); ++i) peers_.at(peer)[i].push_back(samples[i].rate);
  return {};
}

std::vector<size_t> Contest::peers_worth_repeating() const {
  const std::vector<ContestRow> all = rows();
  std::vector<size_t> out;
  for (size_t peer = 0; peer < peers_.size(); ++peer) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (peers_[peer][i].empty() || median(peers_[peer][i]) < kNearTheBest * all[i].theirs) continue;
      out.push_back(peer);
      break;
    }
  }
  return out;
}

std::vector<ContestRow> Contest::rows() const {
  std::vector<ContestRow> out;
  for (size_t i = 0; i < tests_.size(); ++i) {
    ContestRow row{.test = tests_[i], .ours = median(ours_[i])};
    for (size_t peer = 0; peer < peers_.size(); ++peer) {
      const double rate = median(peers_[peer][i]);
      if (rate <= row.theirs) continue;
      row.theirs = rate;
      row.best_peer = peer;
    }
    if (!latest_.empty() && tests_[i].generated > 0) {
      row.bytes_per_token = bytes_per_token(latest_[i]);
      if (row.bytes_per_token > 0) row.roof = read_rate() / static_cast<double>(row.bytes_per_token);
    }
    out.push_back(row);
  }
  return out;
}

double Contest::read_rate() const { return median(read_rates_); }

size_t Contest::our_peak_memory() const {
  size_t out = 0;
  for (const BenchSample& one : latest_) out = std::max(out, one.peak_memory);
  return out;
}

}  // namespace tenon::cli
