#include "cli/bench_report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <numeric>

#include "cli/model_facts.h"

namespace tenon::cli {

namespace {

using Json = nlohmann::ordered_json;

double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Of a sample: divided by n - 1.
double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - mean(values)) * (value - mean(values));
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<double> nanoseconds(const BenchRow& row) {
  return {row.measured.samples_ns.begin(), row.measured.samples_ns.end()};
}

std::vector<double> tokens_per_second(const BenchRow& row) {
  std::vector<double> rates = nanoseconds(row);
  for (double& rate : rates) rate = 1e9 * static_cast<double>(row.test.tokens()) / rate;
  return rates;
}

std::string format(const char* pattern, double a, double b = 0) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

std::string drafts_text(const BenchDrafts& drafts) {
  return format(" (%.2f of those without drafts; %.0f", drafts.share_of_plain,
                static_cast<double>(drafts.accepted)) +
         format(" of %.0f drafted tokens accepted)", static_cast<double>(drafts.guessed));
}

struct Column {
  const char* title;
  int width;  // negative: to the left
  std::string (*text)(const BenchRow& row);
};

constexpr Column kColumns[] = {
    {"model", -28, [](const BenchRow& row) { return row.subject.type; }},
    {"size", 10, [](const BenchRow& row) { return size_text(row.subject.bytes); }},
    {"params", 10, [](const BenchRow& row) { return parameters_text(row.subject.parameters); }},
    {"backend", -7, [](const BenchRow& row) { return row.flags.device; }},
    {"threads", 7, [](const BenchRow& row) { return std::to_string(row.flags.threads); }},
    {"n_ubatch", 8, [](const BenchRow& row) { return std::to_string(row.ubatch); }},
    {"kv", -4, [](const BenchRow& row) { return name(row.flags.kv_type); }},
    {"state", -9, [](const BenchRow& row) { return name(row.flags.state_form); }},
    {"test", 15, [](const BenchRow& row) { return row.test.name(); }},
    {"t/s", 18,
     [](const BenchRow& row) {
       const std::vector<double> rates = tokens_per_second(row);
       const std::string rate = format("%.2f ± %.2f", mean(rates), deviation(rates));
       if (row.drafts && row.drafts->most > 0) return rate + drafts_text(*row.drafts);
       return row.share_of_fastest ? rate + format(" (%.2f of the fastest)", *row.share_of_fastest) : rate;
     }},
    {"peak memory", 11, [](const BenchRow& row) { return size_text(row.measured.peak_memory); }},
    {"read GB/s", 9,
     [](const BenchRow& row) {
       return row.measured.read_rates.empty() ? "-" : format("%.1f", median(row.measured.read_rates) / 1e9);
     }},
};

// Padded to the column; counts characters and not bytes.
std::string cell(const std::string& text, int width) {
  const auto length = static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
  const std::string padding(static_cast<size_t>(std::max(0, std::abs(width) - length)), ' ');
  return " " + (width < 0 ? text + padding : padding + text) + " |";
}

std::string markdown_row(const BenchRow& row) {
  std::string out = "|";
  for (const Column& column : kColumns) out += cell(column.text(row), column.width);
  return out + "\n";
}

std::string markdown_head() {
  std::string titles = "|", rule = "|";
  for (const Column& column : kColumns) {
    titles += cell(column.title, column.width);
    const std::string dashes(static_cast<size_t>(std::abs(column.width) - 1), '-');
    rule += " " + (column.width < 0 ? dashes + "-" : dashes + ":") + " |";
  }
  return titles + "\n" + rule + "\n";
}

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%FT%TZ", &parts);
  return text;
}

Json json_row(const BenchRow& row) {
  const std::vector<double> times = nanoseconds(row), rates = tokens_per_second(row);
  Json out = {{"tenon_version", TENON_VERSION},
              {"cpu_info", cpu_name()},
              {"backends", row.flags.device},
              {"model_filename", row.subject.path},
              {"model_type", row.subject.type},
              {"model_size", row.subject.bytes},
              {"model_n_params", row.subject.parameters},
              {"n_ubatch", row.ubatch},
              {"n_threads", row.flags.threads},
              {"type_k", name(row.flags.kv_type)},
              {"type_v", name(row.flags.kv_type)},
              {"state", name(row.flags.state_form)},
              {"n_prompt", row.test.prompt},
              {"n_gen", row.test.generated},
              {"n_depth", row.test.depth},
              {"test_time", utc_now()},
              {"avg_ns", std::llround(mean(times))},
              {"stddev_ns", std::llround(deviation(times))},
              {"avg_ts", mean(rates)},
              {"stddev_ts", deviation(rates)},
              {"samples_ns", row.measured.samples_ns},
              {"samples_ts", rates},
              {"peak_memory_bytes", row.measured.peak_memory},
              {"weight_bytes_per_token", row.subject.bytes_per_token},
              {"state_bytes", row.measured.state_bytes},
              {"read_gb_per_s", median(row.measured.read_rates) / 1e9}};
  if (row.drafts) {
    out["draft_tokens"] = row.drafts->most;
    out["n_drafted"] = row.drafts->guessed;
    out["n_accepted"] = row.drafts->accepted;
    out["share_of_undrafted"] = row.drafts->share_of_plain;
  }
  if (row.share_of_fastest) out["deterministic_share_of_fastest"] = *row.share_of_fastest;
  return out;
}

}  // namespace

std::string BenchReport::row(const BenchRow& row) {
  const bool first = rows_++ == 0;
  if (format_ == BenchFormat::kMarkdown) return (first ? markdown_head() : "") + markdown_row(row);
  return (first ? "[\n" : ",\n") + json_row(row).dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string BenchReport::end() const {
  if (rows_ == 0) return "";
  return format_ == BenchFormat::kJson ? "\n]\n" : "\ntenon " TENON_VERSION "\n";
}

}  // namespace tenon::cli
