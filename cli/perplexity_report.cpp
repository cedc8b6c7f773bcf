#include "cli/perplexity_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tenon::cli {

namespace {

using engine::Distribution;
using engine::Divergence;
using engine::DivergenceSummary;
using engine::Estimate;
using Json = nlohmann::ordered_json;

template <class... T>
std::string format(const char* pattern, T... values) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string format(const char* pattern, const Estimate& estimate) {
  return format(pattern, estimate.value, estimate.error);
}

Estimate percent(const Estimate& share) { return {100 * share.value, 100 * share.error}; }

struct Fraction {
  const char* title;
  double at;
};
// From the largest to the smallest.
constexpr Fraction kDivergences[] = {{"Maximum", 1},     {"99.9%  ", 0.999}, {"99.0%  ", 0.99},
                                     {"95.0%  ", 0.95},  {"90.0%  ", 0.9},   {"Median ", 0.5},
                                     {"10.0%  ", 0.1},   {" 5.0%  ", 0.05},  {" 1.0%  ", 0.01},
                                     {" 0.1%  ", 0.001}, {"Minimum", 0}};
constexpr Fraction kChanges[] = {{"Maximum", 1},   {"99.9%  ", 0.999}, {"99.0%  ", 0.99}, {"95.0%  ", 0.95},
                                 {"90.0%  ", 0.9}, {"75.0%  ", 0.75},  {"Median ", 0.5},  {"25.0%  ", 0.25},
                                 {"10.0%  ", 0.1}, {" 5.0%  ", 0.05},  {" 1.0%  ", 0.01}, {" 0.1%  ", 0.001},
                                 {"Minimum", 0}};

Json as_json(const Estimate& estimate) { return {{"value", estimate.value}, {"error", estimate.error}}; }

Json as_json(const Distribution& distribution, std::span<const Fraction> fractions) {
  Json out = Json::object();
  for (auto fraction = fractions.rbegin(); fraction != fractions.rend(); ++fraction)
    out[format("p%g", 100 * fraction->at)] = distribution.at(fraction->at);
  return out;
}

Json head(const PerplexityFacts& facts, int64_t tokens) {
  Json out = {{"tenon_version", TENON_VERSION}, {"model", facts.model}};
  if (!facts.text.empty()) out["text"] = facts.text;
  if (!facts.base.empty()) out["base"] = facts.base;
  out["chunk_tokens"] = facts.chunk_tokens;
  out["chunks"] = facts.chunks;
  out["scored_tokens"] = tokens;
  out["seconds"] = facts.seconds;
  return out;
}

std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string chunk_line(int64_t chunk, const engine::RunningMean& negative_log) {
  return (chunk == 1 ? "chunk             PPL\n" : "") + format("%4lld", static_cast<long long>(chunk)) +
         format("    %9.4f ± %9.4f\n", engine::perplexity_of(negative_log));
}

std::string chunk_line(int64_t chunk, const Divergence& so_far) {
  const DivergenceSummary summary = so_far.summary();
  const char* const title =
      "chunk             PPL               ln(PPL(Q)/PPL(base))          KL Divergence              Δp RMS"
      "            Same top p\n";
  return (chunk == 1 ? title : "") + format("%4lld", static_cast<long long>(chunk)) +
         format("    %9.4f ± %9.4f", summary.perplexity) + format("    %10.5f ± %10.5f", summary.log_ratio) +
         format("    %10.5f ± %10.5f", summary.divergence) +
         format("    %6.3f ± %6.3f %%", percent(summary.probability_change_rms)) +
         format("    %6.3f ± %6.3f %%\n", percent(summary.same_top));
}

std::string closing_text(const engine::RunningMean& negative_log) {
  return format("Final estimate: PPL = %.4f +/- %.5f\n", engine::perplexity_of(negative_log));
}

std::string closing_text(const Divergence& divergence) {
  const DivergenceSummary summary = divergence.summary();
  std::string out = "\n====== Perplexity statistics ======\n";
  out += format("Mean PPL(Q)                   : %10.6f ± %10.6f\n", summary.perplexity);
  out += format("Mean PPL(base)                : %10.6f ± %10.6f\n", summary.base_perplexity);
  out += format("Cor(ln(PPL(Q)), ln(PPL(base))): %6.2f%%\n", 100 * summary.correlation);
  out += format("Mean ln(PPL(Q)/PPL(base))     : %10.6f ± %10.6f\n", summary.log_ratio);
  out += format("Mean PPL(Q)/PPL(base)         : %10.6f ± %10.6f\n", summary.ratio);
  out += format("Mean PPL(Q)-PPL(base)         : %10.6f ± %10.6f\n", summary.difference);
  out += "\n====== KL divergence statistics ======\n";
  out += format("Mean    KLD: %10.6f ± %10.6f\n", summary.divergence);
  const Distribution divergences = divergence.divergences();
  for (const auto& [title, at] : kDivergences) out += format("%s KLD: %10.6f\n", title, divergences.at(at));
  out += "\n====== Token probability statistics ======\n";
  out += format("Mean    Δp: %6.3f ± %5.3f %%\n", percent(summary.probability_change));
  const Distribution changes = divergence.probability_changes();
  for (const auto& [title, at] : kChanges) out += format("%s Δp: %6.3f%%\n", title, 100 * changes.at(at));
  out += format("RMS Δp    : %6.3f ± %5.3f %%\n", percent(summary.probability_change_rms));
  return out + format("Same top p: %6.3f ± %5.3f %%\n", percent(summary.same_top));
}

std::string as_json(const PerplexityFacts& facts, const engine::RunningMean& negative_log) {
  Json out = head(facts, negative_log.count());
  out["perplexity"] = as_json(engine::perplexity_of(negative_log));
  return text_of(out);
}

std::string as_json(const PerplexityFacts& facts, const Divergence& divergence) {
  const DivergenceSummary summary = divergence.summary();
  Json out = head(facts, summary.tokens);
  out["perplexity"] = as_json(summary.perplexity);
  out["base_perplexity"] = as_json(summary.base_perplexity);
  out["correlation"] = summary.correlation;
  out["log_ratio"] = as_json(summary.log_ratio);
  out["ratio"] = as_json(summary.ratio);
  out["difference"] = as_json(summary.difference);
  out["kl_divergence"] = as_json(summary.divergence);
  out["kl_divergence"]["percentiles"] = as_json(divergence.divergences(), kDivergences);
  out["probability_change"] = as_json(summary.probability_change);
  out["probability_change"]["percentiles"] = as_json(divergence.probability_changes(), kChanges);
  out["probability_change_rms"] = as_json(summary.probability_change_rms);
  out["same_top"] = as_json(summary.same_top);
  return text_of(out);
}

}  // namespace tenon::cli
