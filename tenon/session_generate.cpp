// How a session continues a prompt: token by token, or by beam search.
#include <algorithm>
#include <chrono>

#include "tenon/engine/beam_search.h"
#include "tenon/engine/speculation.h"
#include "tenon/session_state.h"
#include "tenon/text/sampler.h"
#include "tenon/text/utf8.h"

namespace tenon {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

size_t common_prefix(std::span<const int32_t> a, std::span<const int32_t> b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace

// Keeps what is cached of the prompt and evaluates the rest; the last token always, for its logits. A state
// that cannot go back so far is kept as a whole or not at all.
Status Session::State::evaluate_prompt(std::span<const int32_t> prompt,
                                       const GenerateOptions& generate_options, Generation& out) {
  size_t kept = std::min(common_prefix(prompt, history), prompt.size() - 1);
  if (static_cast<int64_t>(prompt.size()) > sequence->context()) {
    return Error{ErrorCode::kContextFull, "prompt",
                 "at most " + std::to_string(sequence->context()) + " tokens", std::to_string(prompt.size()),
                 "use a larger context (-c) or a shorter prompt"};
  }
  if (kept < history.size() && !sequence->can_trim(static_cast<int64_t>(kept))) {
    kept = 0;
    sequence->reset();
  }
  TENON_RETURN_IF_ERROR(sequence->trim(static_cast<int64_t>(kept)));
  history.resize(kept);
  out.prompt_tokens = static_cast<int64_t>(prompt.size());
  const Status status = evaluate(prompt.subspan(kept), {.progress = generate_options.prompt_progress,
                                                        .cancelled = [this] { return cancelled.load(); }});
  out.evaluated_tokens = sequence->length() - static_cast<int64_t>(kept);
  return status;
}

Result<Generation> Session::State::generate(std::span<const int32_t> prompt,
                                            const GenerateOptions& generate_options,
                                            const TextCallback& on_text, std::string& answer) {
  if (prompt.empty()) {
    return Error{ErrorCode::kInvalidArgument, "prompt", "at least one token", "none", "give a text with -p"};
  }
  if (generate_options.beams > 1) return search_beams(prompt, generate_options, on_text, answer);
  const Clock::time_point start = Clock::now();
  const text::Tokenizer& tokenizer = *model->tokenizer;
  Generation out;
  TENON_ASSIGN(text::Sampler sampler,
               text::Sampler::create({.temperature = generate_options.temperature,
                                      .top_k = generate_options.top_k,
                                      .top_p = generate_options.top_p,
                                      .min_p = generate_options.min_p,
                                      .seed = generate_options.seed},
                                     std::min<int32_t>(tokenizer.vocabulary_size(),
                                                       static_cast<int32_t>(model->vocabulary_rows))));
  const Status evaluated = evaluate_prompt(prompt, generate_options, out);
  out.prompt_seconds = seconds_since(start);
  if (!evaluated.ok() && evaluated.error().code == ErrorCode::kCancelled) {
    out.stop = StopReason::kCancelled;
    return out;
  }
  TENON_RETURN_IF_ERROR(evaluated);

  const Clock::time_point prompt_end = Clock::now();
  text::Utf8Stream stream;
  const auto emit = [&](std::string piece) {
    if (piece.empty()) return true;
    if (answer.empty()) out.first_token_seconds = seconds_since(start);
    answer += piece;
    return !on_text || on_text(piece);
  };
  engine::Speculation speculation(*sequence, history, {.most_guesses = options.draft_tokens});
  for (;;) {
    if (cancelled) {
      out.stop = StopReason::kCancelled;
      break;
    }
    if (generate_options.max_tokens >= 0 && out.generated_tokens >= generate_options.max_tokens) {
      out.stop = StopReason::kMaxTokens;
      break;
    }
    const int32_t token = sampler.sample(speculation.logits());
    if (tokenizer.is_end_of_generation(token)) {
      out.stop = StopReason::kEndOfText;
      break;
    }
    ++out.generated_tokens;
    if (!emit(stream.append(tokenizer.decode_piece(token, false)))) {
      out.stop = StopReason::kCallback;
      break;
    }
    if (static_cast<int64_t>(history.size()) == sequence->context()) {
      out.stop = StopReason::kContextFull;
      break;
    }
    TENON_RETURN_IF_ERROR(speculation.append(token));
  }
  if (out.stop != StopReason::kCallback) emit(stream.flush());
  out.drafted_tokens = speculation.guessed();
  out.accepted_tokens = speculation.accepted();
  out.generation_seconds = seconds_since(prompt_end);
  return out;
}

Result<Generation> Session::State::search_beams(std::span<const int32_t> prompt,
                                                const GenerateOptions& generate_options,
                                                const TextCallback& on_text, std::string& answer) {
  const Clock::time_point start = Clock::now();
  if (static_cast<int64_t>(prompt.size()) > options.context) {
    return Error{ErrorCode::kContextFull, "prompt", "at most " + std::to_string(options.context) + " tokens",
                 std::to_string(prompt.size()), "use a larger context (-c) or a shorter prompt"};
  }
  TENON_RETURN_IF_ERROR(make_beams(generate_options.beams));
  const text::Tokenizer& tokenizer = *model->tokenizer;
  engine::BeamOptions search;
  search.beams = generate_options.beams;
  search.max_tokens = generate_options.max_tokens < 0 ? options.context : generate_options.max_tokens;
  search.context = options.context;
  search.vocabulary =
      static_cast<int32_t>(std::min<int64_t>(tokenizer.vocabulary_size(), model->vocabulary_rows));
  search.is_end = [&](int32_t token) { return tokenizer.is_end_of_generation(token); };
  search.cancelled = [this] { return cancelled.load(); };
  TENON_ASSIGN(const std::vector<engine::Beam> found, engine::beam_search(*beams, prompt, search));

  Generation out;
  out.prompt_tokens = out.evaluated_tokens = static_cast<int64_t>(prompt.size());
  out.stop = cancelled ? StopReason::kCancelled : StopReason::kMaxTokens;
  if (!found.empty()) {
    const engine::Beam& best = found.front();
    if (best.ended) out.stop = StopReason::kEndOfText;
    out.generated_tokens = static_cast<int64_t>(best.tokens.size());
    for (const int32_t token : best.tokens) answer += tokenizer.decode_piece(token, false);
    text::Utf8Stream whole;
    answer = whole.append(answer) + whole.flush();
    if (on_text && !answer.empty() && !on_text(answer)) out.stop = StopReason::kCallback;
  }
  out.generation_seconds = out.first_token_seconds = seconds_since(start);
  return out;
}

// A paged plan with room for that many sequences beside each other.
Status Session::State::make_beams(int32_t count) {
  if (beams && beam_count >= count) return {};
  SessionOptions wanted = options;
  wanted.state_form = StateForm::kPaged;
  wanted.max_step_tokens = std::max<int64_t>(wanted.max_step_tokens, count);
  const int64_t sequences = 2 * count;  // the next beams are forked before the last are given up
  TENON_ASSIGN(Compiled compiled, compile(model->file, *model->device, *model->backend, wanted, sequences));
  TENON_RETURN_IF_ERROR(refuse_recurrent_states(*compiled.plan, "beam search", "use --beams 1"));
  const std::optional<int64_t> rows = runtime::paged_block_size(*compiled.plan);
  const int64_t blocks = sequences * ((wanted.context + *rows - 1) / *rows);
  TENON_ASSIGN(beams, engine::Batch::create(model->backend, std::move(compiled.plan),
                                            {.blocks = blocks, .vocabulary_rows = model->vocabulary_rows}));
  beam_count = count;
  return {};
}

}  // namespace tenon
