// Tenon as a library: load a model, open sessions on it, generate text through a callback, cancel.
//
//   auto model = tenon::Model::load("model.gguf");
//   if (!model.ok()) return complain(model.error().message());
//   auto session = model->open_session();
//   auto done = session->chat("Name three rivers.", {}, [](std::string_view text) {
//     std::cout << text;
//     return true;
//   });
//
// What comes from outside (files, prompts, options) is answered by a Result; misuse of a call throws
// std::logic_error or std::invalid_argument. The library never prints and never exits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/base/export.h"
#include "tenon/base/result.h"

namespace tenon {

struct LoadOptions {
  std::string device = "cpu";  // "cpu", or "ref": slow and obvious
  int threads = 0;             // workers of the CPU; 0: one for each core that this process may use
  // The same results, to the bit, whatever the number of threads, the steps in which a prompt is fed and what
  // else is in a batch. Slower; without it only the number of threads is sure to change nothing.
  bool deterministic = false;
  // Called while the file is read into memory, with the share that is done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
};

enum class KvType { kF16, kF32 };
// Who owns what a model remembers between steps. The results are the same; a program wants kInPlace, or
// kPaged for many sequences.
enum class StateForm {
  kInPlace,    // one buffer for each cache, written in place
  kStateless,  // every step gets the caches and gives new ones
  kStateful,   // variables of the model, which every step appends to
  kPaged,      // blocks that sequences share
};

// What layers with a window keep. The results are the same.
enum class WindowCache {
  kEvict,  // kInPlace: the window and room for one step: less memory, and trim() reaches back so far alone
  kFull,   // the whole context
};

// With the token before them a step of eight: up to there a token has the same logits, to the bit, in every
// step.
inline constexpr int64_t kMostDraftTokens = 7;

struct SessionOptions {
  int64_t context = 0;            // tokens; 0: what the model was trained for
  KvType kv_type = KvType::kF16;  // of the cached keys and values
  StateForm state_form = StateForm::kInPlace;
  int64_t max_step_tokens = 512;  // longer prompts are evaluated in steps of so many tokens
  WindowCache window_cache = WindowCache::kEvict;
  bool all_logits = false;  // whether evaluate() may be asked for the logits of every token
  // More than 0: up to so many of the next tokens are guessed from the text so far and checked in one step
  // with the token before them, which is faster where text repeats itself. What is sampled stays the same to
  // the letter. At most kMostDraftTokens, and less than max_step_tokens; not for models with recurrent
  // states.
  int64_t draft_tokens = 0;
};

struct GenerateOptions {
  int64_t max_tokens = -1;   // -1: until the model ends its text or the context is full
  float temperature = 0.8f;  // 0: always the most likely token
  int32_t top_k = 40;        // 0: all
  float top_p = 0.95f;
  float min_p = 0.05f;
  uint64_t seed = 0;
  // More than 1: the likeliest answer that a search with so many beams finds, in one piece; no sampling then.
  // The whole prompt is evaluated each time. Not for models with recurrent states.
  int32_t beams = 1;
  // Called while a long prompt is evaluated. May be empty.
  std::function<void(int64_t done, int64_t total)> prompt_progress = {};
};

enum class StopReason {
  kEndOfText,  // the model ended it
  kMaxTokens,
  kContextFull,
  kCallback,   // the callback returned false
  kCancelled,  // Session::cancel
};

struct Generation {
  StopReason stop = StopReason::kEndOfText;
  int64_t prompt_tokens = 0;     // of the whole prompt
  int64_t evaluated_tokens = 0;  // of the prompt, by this call: not those that were cached from earlier turns
  int64_t generated_tokens = 0;
  int64_t drafted_tokens = 0;      // guessed (SessionOptions::draft_tokens)
  int64_t accepted_tokens = 0;     // of them, which were generated
  double prompt_seconds = 0;       // evaluating the prompt
  double first_token_seconds = 0;  // from the call to the first piece of text
  double generation_seconds = 0;   // after the prompt
};

// Gets pieces of the answer that are whole characters of UTF-8; returns whether to go on.
using TextCallback = std::function<bool(std::string_view text)>;

class PerplexityRun;  // tenon/perplexity.h
class Session;

// A loaded checkpoint. Immutable: any number of sessions may run on it at once. Cheap to copy.
class TENON_API Model {
 public:
  static Result<Model> load(const std::string& path, const LoadOptions& options = {});
  ~Model();
  Model(const Model&);
  Model& operator=(const Model&);

  const std::string& architecture() const;
  int64_t trained_context() const;  // tokens
  int64_t vocabulary_size() const;  // tokens that the tokenizer knows
  int64_t vocabulary_rows() const;  // width of a row of logits; surplus rows stand for no token
  int64_t parameter_count() const;
  size_t weight_bytes() const;     // of the tensors in the file
  bool has_chat_template() const;  // one that can be used; the error of Session::chat says why there is none
  // What a user should know of the file, e.g. a missing key and what is done instead.
  std::span<const std::string> notes() const;

  // Ids as the model's own tokenizer gives them; with `special`, BOS is added where the model wants it and
  // control tokens in the text count as such.
  std::vector<int32_t> tokenize(std::string_view text, bool special = true) const;
  std::string detokenize(std::span<const int32_t> tokens) const;

  Result<Session> open_session(const SessionOptions& options = {}) const;

 private:
  friend class PerplexityRun;
  friend class Session;
  struct State;
  explicit Model(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

// One conversation or text on a model. Used by one thread at a time; only cancel() may come from another.
class TENON_API Session {
 public:
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // Adds the user's message to the conversation and answers it, in the model's chat template. Only tokens
  // that are not cached yet are evaluated. The answer becomes part of the conversation, also when it was
  // stopped. An error leaves the conversation as it was.
  Result<Generation> chat(std::string_view message, const GenerateOptions& options,
                          const TextCallback& on_text);
  // Continues `prompt` as it is, from an empty context.
  Result<Generation> complete(std::string_view prompt, const GenerateOptions& options,
                              const TextCallback& on_text);
  // Stops the running chat() or complete() after its present step. From any thread, and from a signal
  // handler.
  void cancel();

  // Appends tokens; afterwards logits() are those of the last one, f32 [vocabulary_rows].
  Status evaluate(std::span<const int32_t> tokens);
  // The same, and `on_row` gets the logits of every token. Needs SessionOptions::all_logits.
  Status evaluate(std::span<const int32_t> tokens, const std::function<void(std::span<const float>)>& on_row);
  std::span<const float> logits() const;

  int64_t length() const;   // tokens in the context
  int64_t context() const;  // tokens that fit
  size_t state_bytes() const;
  // Forgets the tokens after the first `length`; messages of chat() stay. Errors: more than there are;
  // fewer where a recurrent state or an evicting cache cannot go back so far.
  Status trim(int64_t length);
  // Forgets everything.
  void reset();
  // A second session that holds what this one does; both go on on their own.
  Result<Session> fork() const;
  // The tokens and what the model remembers of them, to a file and back: in another process too, and under
  // another StateForm. Messages of chat() are not part of it. Errors name the file and what differs, and
  // leave the session as it was.
  Status save(const std::string& path) const;
  Status restore(const std::string& path);

 private:
  friend class Model;
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Peak resident memory of this process in bytes, mapped file pages counted; 0 where the system does not tell.
TENON_API size_t peak_memory_bytes();

}  // namespace tenon
