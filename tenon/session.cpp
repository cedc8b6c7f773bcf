#include "tenon/session_state.h"

#include <algorithm>

namespace tenon {

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
  const int64_t most_drafts = std::min(kMostDraftTokens, chosen.max_step_tokens - 1);
  if (chosen.draft_tokens < 0 || chosen.draft_tokens > most_drafts) {
    return Error{ErrorCode::kInvalidArgument, "drafted tokens", "0 to " + std::to_string(most_drafts),
                 std::to_string(chosen.draft_tokens),
                 "draft fewer tokens (--draft-tokens) or use a larger context (-c)"};
  }
  TENON_ASSIGN(Compiled compiled, compile(state_->file, *state_->device, *state_->backend, chosen));
  if (chosen.draft_tokens > 0)
    TENON_RETURN_IF_ERROR(refuse_recurrent_states(*compiled.plan, "drafted tokens", "use no drafts"));
  auto session = std::make_unique<Session::State>();
  session->model = state_;
  session->options = chosen;
  TENON_ASSIGN(session->sequence, engine::Sequence::create(state_->backend, std::move(compiled.plan),
                                                           {.context = chosen.context,
                                                            .vocabulary_rows = state_->vocabulary_rows}));
  return Session(std::move(session));
}

Status refuse_recurrent_states(const plan::Plan& plan, const std::string& what, const std::string& remedy) {
  for (const plan::InputBinding& input : plan.inputs) {
    if (input.parameter.role != ir::ParameterRole::kRecurrentState) continue;
    return Error{ErrorCode::kUnsupported, what, "a model without recurrent states",
                 "'" + input.parameter.name + "'", remedy};
  }
  return {};
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
  const bool whole =
      options.beams <= 1 && (out->stop == StopReason::kEndOfText || out->stop == StopReason::kMaxTokens);
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
