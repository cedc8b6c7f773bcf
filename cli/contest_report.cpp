#include "cli/contest_report.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/model_facts.h"

namespace tenon::cli {

namespace {

using Json = nlohmann::ordered_json;

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string number(const char* pattern, double value) { return value > 0 ? format(pattern, value) : "-"; }

double share(double rate, double roof) { return roof > 0 ? rate / roof : 0; }

std::string table_row(const ContestFacts& facts, const ContestRow& row) {
  return format("| %-14s | %9s | %9s | %5s | %8s | %7s | %9s | %-18s |\n", row.test.name().c_str(),
                number("%.2f", row.ours).c_str(), number("%.2f", row.theirs).c_str(),
                number("%.2f", row.ratio()).c_str(), number("%.1f", row.roof).c_str(),
                number("%.0f %%", 100 * share(row.ours, row.roof)).c_str(),
                number("%.0f %%", 100 * share(row.theirs, row.roof)).c_str(),
                row.theirs > 0 ? facts.peer_options[row.best_peer].c_str() : "-");
}

Json json_row(const ContestFacts& facts, const Contest& contest, size_t test, const ContestRow& row) {
  Json samples = {{"tenon", contest.our_rates(test)}};
  for (size_t peer = 0; peer < contest.peers(); ++peer)
    samples["llama.cpp " + facts.peer_options[peer]] = contest.peer_rates(peer, test);
  Json out = {{"test", row.test.name()},
              {"n_prompt", row.test.prompt},
              {"n_gen", row.test.generated},
              {"n_depth", row.test.depth},
              {"tenon_ts", row.ours},
              {"llama_cpp_ts", row.theirs},
              {"llama_cpp_options", facts.peer_options[row.best_peer]},
              {"ratio", row.ratio()}};
  if (row.roof > 0) {
    out["bytes_per_token"] = row.bytes_per_token;
    out["roof_ts"] = row.roof;
    out["tenon_share_of_roof"] = share(row.ours, row.roof);
    out["llama_cpp_share_of_roof"] = share(row.theirs, row.roof);
  }
  out["samples_ts"] = std::move(samples);
  return out;
}

}  // namespace

std::string contest_text(const ContestFacts& facts, const Contest& contest) {
  std::string out = printable(facts.model_type) + ", " + std::to_string(facts.threads) +
                    " threads, caches of " + facts.kv_type + ", tokens per second\n\n";
  out += format("| %-14s | %9s | %9s | %5s | %8s | %7s | %9s | %-18s |\n", "test", "tenon", "llama.cpp",
                "ratio", "roof", "of roof", "llama.cpp", "its best options");
  out +=
      "| -------------- | --------: | --------: | ----: | -------: | ------: | --------: | "
      "------------------ |\n";
  for (const ContestRow& row : contest.rows()) out += table_row(facts, row);
  const auto rounds = static_cast<long long>(facts.rounds),
             wanted = static_cast<long long>(facts.rounds_wanted);
  out += rounds == wanted ? format("\nMedians of %lld rounds in turn.", rounds)
                          : format("\nStopped: %lld of %lld rounds in turn were whole.", rounds, wanted);
  out += " Roof: weights and cached tokens that a token reads,\nat " +
         number("%.1f", contest.read_rate() / 1e9) + " GB/s that " + std::to_string(facts.threads) +
         " threads read 1 GiB with between the runs.\n";
  out += "Peak memory: tenon " + size_text(contest.our_peak_memory()) + ", llama-bench " +
         size_text(facts.peer_peak_memory) + " (with its copy of the caches where there is a depth).\n";
  out += "tenon " + facts.our_version + ", llama.cpp " + printable(facts.peer_version) + "\n";
  return out;
}

std::string contest_json(const ContestFacts& facts, const Contest& contest) {
  Json tests = Json::array();
  const std::vector<ContestRow> rows = contest.rows();
  for (size_t i = 0; i < rows.size(); ++i) tests.push_back(json_row(facts, contest, i, rows[i]));
  const Json all = {
      {"tenon_version", facts.our_version},
      {"llama_cpp_build", facts.peer_version},
      {"model_filename", std::filesystem::path(facts.model).filename().string()},
      {"model_type", facts.model_type},
      {"n_threads", facts.threads},
      {"n_ubatch", facts.ubatch},
      {"type_kv", facts.kv_type},
      {"rounds", facts.rounds},
      {"rounds_wanted", facts.rounds_wanted},
      {"read_gb_per_s", contest.read_rate() / 1e9},
      {"peak_memory_bytes", {{"tenon", contest.our_peak_memory()}, {"llama.cpp", facts.peer_peak_memory}}},
      {"tests", tests}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenon::cli
