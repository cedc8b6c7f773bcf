// What a Session holds behind its pointer.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tenon/engine/batch.h"
#include "tenon/engine/sequence.h"
#include "tenon/engine/state_file.h"
#include "tenon/model_state.h"

namespace tenon {

// An error of `what` where the model has recurrent states, which cannot go back or be shared.
Status refuse_recurrent_states(const plan::Plan& plan, const std::string& what, const std::string& remedy);

struct Session::State {
  std::shared_ptr<const Model::State> model;
  std::unique_ptr<engine::Sequence> sequence;
  SessionOptions options;
  std::vector<text::ChatMessage> messages;  // of chat()
  std::string conversation;      // the text whose tokens `history` are: template and answers so far
  std::vector<int32_t> history;  // the tokens whose keys and values are cached
  std::atomic<bool> cancelled = false;
  std::unique_ptr<engine::Batch> beams;  // made by the first beam search
  int32_t beam_count = 0;                // that it has room for

  Result<std::vector<int32_t>> render(std::string& text) const;
  Result<Generation> generate(std::span<const int32_t> prompt, const GenerateOptions& options,
                              const TextCallback& on_text, std::string& answer);
  // The same by beam search; the session's own cache stays as it is.
  Result<Generation> search_beams(std::span<const int32_t> prompt, const GenerateOptions& options,
                                  const TextCallback& on_text, std::string& answer);
  Status make_beams(int32_t count);
  Status evaluate_prompt(std::span<const int32_t> prompt, const GenerateOptions& options, Generation& out);
  Status evaluate(std::span<const int32_t> tokens, const engine::EvaluateCallbacks& callbacks = {});
  engine::StateIdentity identity() const;
  Status take(std::vector<int32_t> tokens, std::span<const std::byte> saved);
  template <class Run>
  Status append(std::span<const int32_t> tokens, const Run& run);
};

}  // namespace tenon
