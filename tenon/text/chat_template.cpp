#include "tenon/text/chat_template.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/json_reader.h"
#include "tenon/text/jinja/parser.h"

namespace tenon::text {
namespace {

using jinja::Dict;
using jinja::Failure;
using jinja::Heap;
using jinja::Kind;
using jinja::Origin;
using jinja::Value;

Error to_error(const Failure& failure, std::string where) {
  if (failure.line > 0) where += ", line " + std::to_string(failure.line);
  return Error{failure.code, std::move(where), failure.wanted, failure.found, ""};
}

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm result{};
  localtime_r(&now, &result);
  return result;
}

// JSON of the input, which must be of one kind.
Value read_member(Heap& heap, const std::string& json, Kind kind, const char* wanted) {
  Value value = jinja::read_json(heap, json, Origin::kInput);
  if (!value.is(kind))
    throw Failure{ErrorCode::kInvalidArgument, wanted, std::string(jinja::type_name(value)), 0};
  return value;
}

Value to_value(Heap& heap, const ChatMessage& message) {
  const bool known =
      std::count(std::begin(kTemplateRoles), std::end(kTemplateRoles), std::string_view(message.role)) > 0;
  Dict members;
  members.set(Value::string("role"),
              Value(jinja::Text(message.role, known ? Origin::kTemplate : Origin::kInput)));
  if (message.content) {
    members.set(Value::string("content"), Value(jinja::Text(*message.content, Origin::kInput)));
  }
  if (!message.members_json.empty()) {
    const Value more =
        read_member(heap, message.members_json, Kind::kDict, "a JSON object of message members");
    for (const auto& [name, value] : more.dict().entries) members.set(name, value);
  }
  return heap.dict(std::move(members));
}

void define_variables(jinja::Interpreter& interpreter, const ChatInput& input) {
  Heap& heap = interpreter.heap();
  std::vector<Value> messages;
  for (const ChatMessage& message : input.messages) messages.push_back(to_value(heap, message));
  interpreter.define("messages", heap.list(std::move(messages)));
  interpreter.define("add_generation_prompt", Value(input.add_generation_prompt));
  interpreter.define("bos_token", Value::string(input.bos_token));
  interpreter.define("eos_token", Value::string(input.eos_token));
  interpreter.define("documents", Value::none());
  interpreter.define("tools", input.tools_json.empty() ? Value::none()
                                                       : read_member(heap, input.tools_json, Kind::kList,
                                                                     "a JSON array of tools"));
  if (input.variables_json.empty()) return;
  const Value more = read_member(heap, input.variables_json, Kind::kDict, "a JSON object of variables");
  for (const auto& [name, value] : more.dict().entries) interpreter.define(name.text().view(), value);
}

}  // namespace

struct ChatTemplate::Program {
  jinja::Body body;
};

Result<ChatTemplate> ChatTemplate::parse(const std::string& source) {
  try {
    return ChatTemplate(std::make_shared<const Program>(Program{jinja::parse_template(source)}));
  } catch (const Failure& failure) {
    return to_error(failure, "chat template");
  }
}

Result<RenderedPrompt> ChatTemplate::render(const ChatInput& input) const {
  Heap heap{jinja::RenderLimits{}};
  jinja::Interpreter interpreter(heap, input.now ? *input.now : local_time());
  try {
    define_variables(interpreter, input);
  } catch (const Failure& failure) {
    return to_error(failure, "chat input");
  }
  try {
    jinja::Text text = interpreter.render(program_->body);
    std::vector<ByteSpan> spans = text.input_spans();
    return RenderedPrompt{std::move(text).take_bytes(), std::move(spans)};
  } catch (const Failure& failure) {
    return to_error(failure, "chat template");
  }
}

}  // namespace tenon::text
