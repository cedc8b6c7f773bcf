// The chat template of a model: a Jinja2 program that a GGUF file carries (tokenizer.chat_template) and that
// turns a conversation into the text which the model continues.
//
// Rendered text equals that of Python's jinja2 with the settings that chat templates are written for:
// trim_blocks, lstrip_blocks, loop controls, tojson as json.dumps(ensure_ascii=False), raise_exception and
// strftime_now. Templates are one file: include, import, extends, block and autoescape are refused.
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tenon/base/result.h"
#include "tenon/text/byte_span.h"

namespace tenon::text {

struct ChatMessage {
  std::string role;
  std::optional<std::string> content;
  // A JSON object of further members: tool_calls, name, reasoning_content … One named "content" (null, or a
  // list of parts) takes the place of the text above. Empty: none.
  std::string members_json;
};

struct ChatInput {
  std::vector<ChatMessage> messages;
  bool add_generation_prompt = true;
  std::string bos_token;  // empty when the model has none
  std::string eos_token;
  // A JSON array of tool descriptions; the variable `tools` is none when this is empty.
  std::string tools_json;
  // A JSON object of further variables, e.g. {"enable_thinking": false}; they win over those above. Empty:
  // none.
  std::string variables_json;
  // The local time that strftime_now tells; unset: the clock's.
  std::optional<std::tm> now;
};

struct RenderedPrompt {
  std::string text;
  // The bytes of `text` that came out of messages, tools and variables: ascending, neither empty nor
  // touching. Special tokens in them are the user's words and must not be parsed as such. The template's own
  // text, bos_token, eos_token and the roles in kTemplateRoles are outside. A tokenizer refuses a special
  // token that overlaps a span and takes no other notice of them: pieces of text must not be cut there.
  std::vector<ByteSpan> content_spans;
};

// Roles that templates build special tokens from ('<|' + role + '|>').
inline constexpr const char* kTemplateRoles[] = {"assistant", "developer", "function", "ipython",
                                                 "model",     "system",    "tool",     "user"};

// Immutable and cheap to copy; any number of threads may render at once.
class ChatTemplate {
 public:
  // Errors give the line, what was wanted and what was found (kInvalidFile), or a tag that Tenon does not run
  // (kUnsupported).
  static Result<ChatTemplate> parse(const std::string& source);

  // An Error of code kInvalidArgument whose `found` is the message itself when the template calls
  // raise_exception(message); else what the template cannot do with this input, or what is wrong with the
  // JSON of it. Recursion, time and memory are bounded, whatever the template.
  Result<RenderedPrompt> render(const ChatInput& input) const;

 private:
  struct Program;
  explicit ChatTemplate(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  std::shared_ptr<const Program> program_;
};

}  // namespace tenon::text
