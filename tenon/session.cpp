#include <algorithm>
#include <atomic>
#include <chrono>

#include "tenon/engine/sequence.h"
#include "tenon/engine/state_file.h"
#include "tenon/model_state.h"
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

struct Session::State {
  std::shared_ptr<const Model::State> model;
  std::unique_ptr<engine::Sequence> sequence;
  SessionOptions options;
  std::vector<text::ChatMessage> messages;  // of chat()
  std::string conversation;      // the text whose tokens `history` are: template and answers so far
  std::vector<int32_t> history;  // the tokens whose keys and values are cached
  std::atomic<bool> cancelled = false;

  Result<std::vector<int32_t>> render(std::string& text) const;
  Result<Generation> generate(std::span<const int32_t> prompt, const GenerateOptions& options,
                              const TextCallback& on_text, std::string& answer);
  Status evaluate_prompt(std::span<const int32_t> prompt, const GenerateOptions& options, Generation& out);
  Status evaluate(std::span<const int32_t> tokens, const engine::EvaluateCallbacks& callbacks = {});
  engine::StateIdentity identity() const;
  Status take(std::vector<int32_t> tokens, std::span<const std::byte> saved);
  template <class Run>
  Status append(std::span<const int32_t> tokens, const Run& run);
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

Result<Session> Model::open_session(const SessionOptions& options) const {
  SessionOptions chosen = options;
  if (chosen.context == 0) chosen.context = state_->trained_context;
  if (chosen.context < 1 || chosen.context > INT32_MAX) {
    return Error{ErrorCode::kInvalidArgument, "context", "1 to " + std::to_string(INT32_MAX) + " tokens",
                 std::to_string(options.context), ""};
  }
  if (chosen.max_step_tokens < 1) {
    return Error{ErrorCode::kInvalidArgument, "tokens of a step", "1 or more",
                 std::to_string(options.max_step_tokens), ""};
  }
  chosen.max_step_tokens = std::min(chosen.max_step_tokens, chosen.context);
  TENON_ASSIGN(Compiled compiled, compile(state_->file, *state_->device, *state_->backend, chosen));
  auto session = std::make_unique<Session::State>();
  session->model = state_;
  session->options = chosen;
  TENON_ASSIGN(session->sequence, engine::Sequence::create(state_->backend, std::move(compiled.plan),
                                                           {.context = chosen.context,
                                                            .vocabulary_rows = state_->vocabulary_rows}));
  return Session(std::move(session));
}

Status Session::State::evaluate(std::span<const int32_t> tokens, const engine::EvaluateCallbacks& callbacks) {
  return append(tokens, [&] { return sequence->evaluate(tokens, callbacks); });
}

// Runs what evaluates `tokens`. `history` follows the cache, also when that stops half-way; when a callback
// throws, the cache goes back to where it was, if it can.
template <class Run>
Status Session::State::append(std::span<const int32_t> tokens, const Run& run) {
  const auto before = static_cast<int64_t>(history.size());
  const auto follow = [&] {
    history.insert(history.end(), tokens.begin(), tokens.begin() + (sequence->length() - before));
  };
  Status status;
  try {
    status = run();
  } catch (...) {
    if (!sequence->trim(before).ok()) follow();
    throw;
  }
  follow();
  return status;
}

// Keeps what is cached of the prompt and evaluates the rest; the last token always, for its logits. A cache
// that cannot be trimmed is kept as a whole or not at all.
Status Session::State::evaluate_prompt(std::span<const int32_t> prompt,
                                       const GenerateOptions& generate_options, Generation& out) {
  size_t kept = std::min(common_prefix(prompt, history), prompt.size() - 1);
  if (static_cast<int64_t>(prompt.size()) > sequence->context()) {
    return Error{ErrorCode::kContextFull, "prompt",
                 "at most " + std::to_string(sequence->context()) + " tokens", std::to_string(prompt.size()),
                 "use a larger context (-c) or a shorter prompt"};
  }
  if (kept < history.size() && !sequence->can_trim()) {
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
  if (prompt.empty()) {
    return Error{ErrorCode::kInvalidArgument, "prompt", "at least one token", "none", "give a text with -p"};
  }
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
  for (;;) {
    if (cancelled) {
      out.stop = StopReason::kCancelled;
      break;
    }
    if (generate_options.max_tokens >= 0 && out.generated_tokens >= generate_options.max_tokens) {
      out.stop = StopReason::kMaxTokens;
      break;
    }
    const int32_t token = sampler.sample(sequence->logits());
    if (tokenizer.is_end_of_generation(token)) {
      out.stop = StopReason::kEndOfText;
      break;
    }
    ++out.generated_tokens;
    if (!emit(stream.append(tokenizer.decode_piece(token, false)))) {
      out.stop = StopReason::kCallback;
      break;
    }
    if (sequence->length() == sequence->context()) {
      out.stop = StopReason::kContextFull;
      break;
    }
    TENON_RETURN_IF_ERROR(evaluate({&token, 1}));
  }
  if (out.stop != StopReason::kCallback) emit(stream.flush());
  out.generation_seconds = seconds_since(prompt_end);
  return out;
}

// The conversation so far as tokens. When the rendered text goes on from the text that is cached, only the
// rest is tokenised, so that a model's own tokens are never cut differently the second time.
Result<std::vector<int32_t>> Session::State::render(std::string& text) const {
  const text::Tokenizer& tokenizer = *model->tokenizer;
  text::ChatInput input;
  input.messages = messages;
  if (const auto bos = tokenizer.bos()) input.bos_token = tokenizer.token_text(*bos);
  if (const auto eos = tokenizer.eos()) input.eos_token = tokenizer.token_text(*eos);
  TENON_ASSIGN(const text::RenderedPrompt rendered, model->chat_template->render(input));
  text = rendered.text;
  if (!conversation.empty() && rendered.text.starts_with(conversation)) {
    const size_t from = conversation.size();
    std::vector<text::ByteSpan> spans;
    for (const text::ByteSpan& span : rendered.content_spans) {
      if (span.end > from) spans.push_back({std::max(span.begin, from) - from, span.end - from});
    }
    std::vector<int32_t> tokens = history;
    const std::vector<int32_t> rest =
        tokenizer.encode(std::string_view(rendered.text).substr(from),
                         {.add_special = false, .parse_special = true, .plain = spans});
    tokens.insert(tokens.end(), rest.begin(), rest.end());
    return tokens;
  }
  return tokenizer.encode(rendered.text,
                          {.add_special = true, .parse_special = true, .plain = rendered.content_spans});
}

Result<Generation> Session::chat(std::string_view message, const GenerateOptions& options,
                                 const TextCallback& on_text) {
  State& s = *state_;
  s.cancelled = false;
  if (!s.model->chat_template.ok()) return s.model->chat_template.error();
  std::vector<text::ChatMessage> before = s.messages;
  s.messages.push_back({"user", std::string(message), ""});
  std::string text, answer;
  Result<Generation> out = Generation{};
  try {
    Result<std::vector<int32_t>> prompt = s.render(text);
    s.conversation.clear();  // until the answer is whole, `history` is not its tokens
    out = prompt.ok() ? s.generate(*prompt, options, on_text, answer) : Result<Generation>(prompt.error());
  } catch (...) {
    s.messages = std::move(before);
    throw;
  }
  if (!out.ok()) {
    s.messages = std::move(before);
    return out;
  }
  s.messages.push_back({"assistant", answer, ""});
  // Holds only while every generated token is cached; else the next turn tokenises anew and keeps the common
  // part.
  const bool whole = out->stop == StopReason::kEndOfText || out->stop == StopReason::kMaxTokens;
  s.conversation = whole ? text + answer : "";
  return out;
}

Result<Generation> Session::complete(std::string_view prompt, const GenerateOptions& options,
                                     const TextCallback& on_text) {
  State& s = *state_;
  s.cancelled = false;
  s.messages.clear();
  s.conversation.clear();
  std::string answer;
  return s.generate(s.model->tokenizer->encode(prompt, {.add_special = true, .parse_special = true}), options,
                    on_text, answer);
}

void Session::cancel() { state_->cancelled = true; }

Status Session::evaluate(std::span<const int32_t> tokens) {
  state_->conversation.clear();  // its tokens are no longer those of `history`
  return state_->evaluate(tokens);
}

Status Session::evaluate(std::span<const int32_t> tokens,
                         const std::function<void(std::span<const float>)>& on_row) {
  if (!state_->options.all_logits) {
    throw std::logic_error("[Session::evaluate] logits of every token need SessionOptions::all_logits");
  }
  state_->conversation.clear();
  return state_->append(tokens, [&] { return state_->sequence->evaluate_all(tokens, on_row); });
}

std::span<const float> Session::logits() const { return state_->sequence->logits(); }
int64_t Session::length() const { return state_->sequence->length(); }
int64_t Session::context() const { return state_->sequence->context(); }
size_t Session::state_bytes() const { return state_->sequence->state_bytes(); }

Status Session::trim(int64_t length) {
  TENON_RETURN_IF_ERROR(state_->sequence->trim(length));
  state_->history.resize(static_cast<size_t>(length));
  state_->conversation.clear();  // its tokens are no longer those of `history`
  return {};
}

void Session::reset() {
  state_->sequence->reset();
  state_->history.clear();
  state_->messages.clear();
  state_->conversation.clear();
}

engine::StateIdentity Session::State::identity() const {
  return engine::state_identity(*model->file, options.kv_type == KvType::kF32 ? "f32" : "f16");
}

Status Session::State::take(std::vector<int32_t> tokens, std::span<const std::byte> saved) {
  TENON_RETURN_IF_ERROR(sequence->restore(static_cast<int64_t>(tokens.size()), saved));
  history = std::move(tokens);
  messages.clear();
  conversation.clear();
  return {};
}

Result<Session> Session::fork() const {
  TENON_ASSIGN(Session out, Model(state_->model).open_session(state_->options));
  TENON_RETURN_IF_ERROR(out.state_->take(state_->history, state_->sequence->save()));
  out.state_->messages = state_->messages;
  out.state_->conversation = state_->conversation;
  return out;
}

Status Session::save(const std::string& path) const {
  return engine::write_state(path, state_->identity(), {state_->history, state_->sequence->save()});
}

Status Session::restore(const std::string& path) {
  TENON_ASSIGN(engine::SavedState saved, engine::read_state(path, state_->identity()));
  return state_->take(std::move(saved.tokens), saved.bytes);
}

}  // namespace tenon
