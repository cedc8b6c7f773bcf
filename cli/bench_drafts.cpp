#include "cli/bench_drafts.h"

#include <algorithm>
#include <cmath>

namespace tenon::cli {

namespace {

// Room for what a chat template puts around a message.
constexpr int64_t kTemplateTokens = 1024;

struct Run {
  std::string text;
  Generation generation;
};

Result<Run> generate(Session& session, const DraftTest& test) {
  Run out;
  const GenerateOptions options{.max_tokens = test.generated, .temperature = 0};
  const auto keep = [&](std::string_view piece) {
    out.text += piece;
    return true;
  };
  session.reset();
  TENON_ASSIGN(out.generation, test.raw ? session.complete(test.text, options, keep)
                                        : session.chat(test.text, options, keep));
  return out;
}

Status add_sample(Session& session, const DraftTest& test, ReadProbe& probe, BenchMeasurement& out,
                  Run& run) {
  TENON_ASSIGN(run, generate(session, test));
  out.samples_ns.push_back(std::llround(1e9 * run.generation.generation_seconds));
  if (const auto rate = probe.measure()) out.read_rates.push_back(*rate);
  return {};
}

}  // namespace

Result<DraftMeasurement> measure_drafts(const Model& model, const DraftTest& test, SessionOptions options,
                                        int64_t repetitions, ReadProbe& probe) {
  options.context = static_cast<int64_t>(model.tokenize(test.text).size()) + kTemplateTokens + test.generated;
  options.draft_tokens = 0;
  TENON_ASSIGN(Session plain, model.open_session(options));
  options.draft_tokens = test.draft_tokens;
  TENON_ASSIGN(Session drafting, model.open_session(options));
  DraftMeasurement out;
  Run without, with;
  for (int64_t i = 0; i < repetitions; ++i) {
    TENON_RETURN_IF_ERROR(add_sample(plain, test, probe, out.plain, without));
    TENON_RETURN_IF_ERROR(add_sample(drafting, test, probe, out.drafted, with));
    if (with.text != without.text) {
      return Error{ErrorCode::kUnsupported, "--draft", "the text that comes without drafts", "another one",
                   "a fault of this program; leave out --draft"};
    }
  }
  if (without.generation.generated_tokens == 0) {
    return Error{ErrorCode::kInvalidArgument, "--draft", "a text that the model goes on from",
                 "one after which it ends at once", "give another text with -f"};
  }
  out.test = {.generated = without.generation.generated_tokens, .depth = without.generation.prompt_tokens};
  out.guessed = with.generation.drafted_tokens;
  out.accepted = with.generation.accepted_tokens;
  out.plain.state_bytes = plain.state_bytes();
  out.drafted.state_bytes = drafting.state_bytes();
  out.plain.peak_memory = out.drafted.peak_memory = peak_memory_bytes();
  return out;
}

}  // namespace tenon::cli
