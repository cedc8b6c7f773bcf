// Arbitrary bytes as a chat template: parsed and, where that works, rendered over a fixed conversation.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/json_reader.h"
#include "tenon/text/jinja/parser.h"

namespace {

using namespace tenon::text::jinja;

constexpr std::string_view kMessages =
    R"([{"role": "user", "content": " <é>\n"}, {"role": "assistant", "content": null, "tool_calls": [{"x": 1.5}]}])";

void render(std::string_view source) {
  Heap heap({.steps = 20'000, .bytes = size_t{16} << 20});
  const Body body = parse_template(source);
  Interpreter interpreter(heap, std::tm{});
  interpreter.define("messages", read_json(heap, kMessages, Origin::kInput));
  interpreter.define("add_generation_prompt", Value(true));
  const Text text = interpreter.render(body);
  size_t end = 0;
  for (const tenon::text::ByteSpan& span : text.input_spans()) {
    if (span.begin < end || span.begin >= span.end || span.end > text.size()) std::abort();
    end = span.end + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    render(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Failure&) {  // what a bad template is answered with
  }
  return 0;
}
