// Broken templates: whatever is cut out, doubled or swapped in a template, parsing and rendering return. Run
// under the sanitizers this is a search for memory errors.
#include <gtest/gtest.h>

#include <random>

#include "tenon/text/chat_test_support.h"
#include "tenon/text/jinja/failure.h"
#include "tenon/text/jinja/interpreter.h"
#include "tenon/text/jinja/json_reader.h"
#include "tenon/text/jinja/parser.h"

namespace tenon::text {
namespace {

constexpr int kRounds = 40;  // mutations of each template

std::vector<std::string> templates() {
  std::vector<std::string> sources = {read_template_file("smollm2.jinja"),
                                      read_template_file("qwen2.5-coder.jinja")};
  for (const Json& feature : read_template_json("features.json")) {
    sources.push_back(feature.at("template").get<std::string>());
  }
  return sources;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> sources) : sources_(std::move(sources)) {}

  std::string mutate(std::string text) {
    const int steps = 1 + static_cast<int>(random(4));
    for (int i = 0; i < steps; ++i) mutate_once(text);
    return text;
  }

 private:
  size_t random(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(generator_); }

  // A piece of up to `longest` bytes.
  std::string piece(const std::string& text, size_t longest) {
    return text.empty() ? "" : text.substr(random(text.size()), 1 + random(longest));
  }

  void mutate_once(std::string& text) {
    static const std::string kMarks = "{}%#()[]|.,:~+-*/<>=!'\"\\ \nx0\xff";
    const size_t at = random(text.size() + 1);
    switch (random(6)) {
      case 0:
        text.erase(at, 1 + random(8));
        break;
      case 1:
        text.insert(at, 1, kMarks[random(kMarks.size())]);
        break;
      case 2:
        text.insert(at, piece(text, 30));
        break;
      case 3:
        text.insert(at, piece(sources_[random(sources_.size())], 60));
        break;
      case 4:
        text.resize(at);
        break;
      default:
        if (at < text.size()) text[at] = kMarks[random(kMarks.size())];
    }
  }

  std::vector<std::string> sources_;
  std::mt19937_64 generator_{20260305};
};

// With small limits, so that a template which happens to loop for long ends soon.
bool renders(const std::string& source) {
  jinja::Heap heap({.steps = 20'000, .bytes = size_t{16} << 20});
  try {
    const jinja::Body body = jinja::parse_template(source);
    jinja::Interpreter interpreter(heap, captured_now());
    interpreter.define("messages",
                       jinja::read_json(heap, R"([{"role": "user", "content": "<é>", "x": [1, null]}])",
                                        jinja::Origin::kInput));
    const jinja::Text text = interpreter.render(body);
    size_t end = 0;
    for (const ByteSpan& span : text.input_spans()) {
      EXPECT_TRUE(end <= span.begin && span.begin < span.end && span.end <= text.size()) << source;
      end = span.end + 1;
    }
    return true;
  } catch (const jinja::Failure& failure) {
    EXPECT_FALSE(failure.wanted.empty() && failure.found.empty() &&
                 source.find("raise_") == std::string::npos)
        << source;
    return false;
  }
}

TEST(ChatTemplateMutation, ParsingAndRenderingReturn) {
  const std::vector<std::string> sources = templates();
  Mutator mutator(sources);
  int rendered = 0;
  for (const std::string& source : sources) {
    for (int i = 0; i < kRounds; ++i) rendered += renders(mutator.mutate(source)) ? 1 : 0;
  }
  EXPECT_GT(rendered, 100);  // not everything breaks: the interpreter sees mutations, too
}

}  // namespace
}  // namespace tenon::text
