#include "cli/answer.h"

#include <cstdio>

#include "cli/output.h"
#include "cli/progress.h"

namespace tenon::cli {

namespace {

std::string rate(int64_t tokens, double seconds) {
  if (tokens == 0 || seconds <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(tokens) / seconds);
  return text;
}

// What drafts came to; empty where there were none.
std::string drafts(const Generation& generation) {
  if (generation.drafted_tokens == 0) return "";
  return "drafted: " + std::to_string(generation.drafted_tokens) + " tokens, " +
         std::to_string(generation.accepted_tokens) + " accepted | ";
}

}  // namespace

Result<Generation> write_answer(Session& session, std::string_view prompt, const AnswerOptions& options) {
  ProgressLine progress;
  GenerateOptions generate = options.generate;
  generate.prompt_progress = [&](int64_t done, int64_t total) {
    if (done == total) return progress.clear();
    progress.show("reading the prompt: " + std::to_string(done) + " of " + std::to_string(total) + " tokens");
  };
  Status written;
  bool line_is_open = true;
  const auto write = [&](std::string_view text) {
    line_is_open = !text.ends_with('\n');
    written = write_stdout(text);
    return written.ok();
  };
  Result<Generation> generation =
      options.raw ? session.complete(prompt, generate, write) : session.chat(prompt, generate, write);
  if (!generation.ok()) return generation;
  if (written.ok() && line_is_open) written = write_stdout("\n");
  if (!written.ok()) return written.error();
  return generation;
}

std::string closing_line(const Generation& generation) {
  char text[256];
  std::snprintf(
      text, sizeof text,
      "[prompt: %lld tokens, %lld evaluated, %s tokens/s | generated: %lld tokens, %s tokens/s | "
      "%sfirst token: %.2f s | peak memory: %.0f MiB]",
      static_cast<long long>(generation.prompt_tokens), static_cast<long long>(generation.evaluated_tokens),
      rate(generation.evaluated_tokens, generation.prompt_seconds).c_str(),
      static_cast<long long>(generation.generated_tokens),
      rate(generation.generated_tokens, generation.generation_seconds).c_str(), drafts(generation).c_str(),
      generation.first_token_seconds, static_cast<double>(peak_memory_bytes()) / (1 << 20));
  return text;
}

}  // namespace tenon::cli
